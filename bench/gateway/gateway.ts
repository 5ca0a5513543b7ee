// What does the gateway's process pay to deliver one frame, beside the barest server and beside others?
// Measured, for every variant in processes of its own, in one run: CPU of the server's process (threads included; not of Redis
// or Postgres) by frames that a reader in another process has received. Every number of turns has processes of its own: what a
// hundred saturated turns leave behind is no part of what a thousand cost.
//   paced       FRAMES_PER_SECOND for every turn, one frame at a time
//   saturated   bursts for every turn, as fast as the reader takes them
// Ours is the whole server (servers/ours.ts); the others are bare servers with the library's encoding, without policy, log,
// history and metrics. Every frame carries the same 60 bytes of text and weighs about 250 bytes.
// Not measured: a model, a network, opening turns (but for the time to the first frame), TLS.
//   G1. A variant takes turns with the floor alone, and its ratio is the median of its rounds'. Where all of them took turns, a
//       process would rest for as long as the others take, and begin each window slowly: what was measured then was a server
//       that begins to work, which the one with the least code is best at.
//   G2. The server's process has a processor to itself (processors.ts).

import { median } from "../alternate.js";
import type { Measured, OpenContender } from "./contender.js";
import { Contender } from "./contender.js";
import type { GatewayRow } from "./gateway-row.js";
import { FRAMES_PER_SECOND, type Pace } from "./pacer.js";
import { leaveServersProcessor } from "./processors.js";
import { printGoals, printPhase } from "./report.js";
import { FLOOR, SERVERS } from "./servers/servers.js";
import { openServices } from "./services.js";
import { printSides } from "./sides.js";

export interface GatewayPlan {
  /** Of each pace. */
  readonly rounds: Readonly<Record<Pace, number>>;
  readonly windowMs: number;
  /** As fast as it goes, before anything counts. */
  readonly warmUpMs: number;
  readonly turns: readonly number[];
  /** Whether latency, memory, fan-out and resume are measured too. */
  readonly sides: boolean;
  readonly variants: readonly string[];
  /** Whether processes are bound to processors (G2). */
  readonly isBound: boolean;
}

const PACES: readonly Pace[] = ["paced", "saturated"];
const FULL: GatewayPlan = {
  // What a process pays when it wakes for a frame or two differs most; what is saturated would soon be longer than an answer.
  rounds: { paced: 15, saturated: 7 },
  windowMs: 1_000,
  warmUpMs: 5_000,
  turns: [1, 100, 1_000],
  sides: true,
  variants: [...SERVERS.keys()].filter((name) => name !== FLOOR),
  isBound: false,
};
const QUICK: Partial<GatewayPlan> = { rounds: { paced: 1, saturated: 1 }, warmUpMs: 1_000 };

/** `--quick`: one round; `--only a,b`: the variants whose names have one of these in them; `--turns 100,1000`: so many. */
export function benchGateway(args: readonly string[]): Promise<GatewayRow[]> {
  const listAfter = (option: string) => args[args.indexOf(option) + 1]?.split(",") ?? [];
  const only = listAfter("--only");
  const isChosen = (name: string) => only.some((part) => name.includes(part));
  return runGateway({
    isBound: leaveServersProcessor(),
    ...(args.includes("--quick") && QUICK),
    ...(args.includes("--only") && { variants: FULL.variants.filter(isChosen) }),
    ...(args.includes("--turns") && { turns: listAfter("--turns").map(Number) }),
    ...(args.includes("--no-sides") && { sides: false }),
  });
}

export async function runGateway(given: Partial<GatewayPlan>): Promise<GatewayRow[]> {
  const plan = { ...FULL, ...given };
  console.log(
    `${FRAMES_PER_SECOND} frames a second and turn where paced; ${plan.rounds.paced} rounds paced, ${plan.rounds.saturated} saturated, of ${plan.windowMs} ms; ${
      plan.isBound ? "the server has a processor to itself" : "processes are not bound to processors"
    }`,
  );
  const services = await openServices();
  try {
    const open: OpenContender = async (name) => Contender.open(name, await services.next(), plan.isBound);
    const rows: GatewayRow[] = [];
    for (const turns of plan.turns) rows.push(...(await runTurns(plan, open, turns)));
    const sides = plan.sides ? await printSides(open) : undefined;
    if (sides !== undefined) printGoals(rows, sides);
    return rows;
  } finally {
    await services.close();
  }
}

/** Every variant at so many turns, both paces. */
async function runTurns(plan: GatewayPlan, open: OpenContender, turns: number): Promise<GatewayRow[]> {
  const floor = await openWarm(plan, open, { name: FLOOR, turns });
  const duels: Duel[] = [];
  try {
    for (const name of plan.variants) {
      const contender = await openWarm(plan, open, { name, turns });
      try {
        for (const pace of PACES) duels.push({ pace, name, rounds: await fight(plan, pace, [floor, contender]) });
      } finally {
        await contender.close();
      }
    }
  } finally {
    await floor.close();
  }
  return PACES.flatMap((pace) => {
    const rows = rowsOf(
      duels.filter((duel) => duel.pace === pace),
      { pace, turns },
    );
    printPhase(rows);
    return rows;
  });
}

async function openWarm(
  { warmUpMs, windowMs }: GatewayPlan,
  open: OpenContender,
  { name, turns }: { readonly name: string; readonly turns: number },
): Promise<Contender> {
  const contender = await open(name);
  await contender.openStreams(turns);
  await contender.warmUp(warmUpMs, windowMs);
  return contender;
}

/** One variant beside the floor. */
interface Duel {
  readonly pace: Pace;
  readonly name: string;
  readonly rounds: readonly Round[];
}

interface Round {
  readonly floor: Measured;
  readonly own: Measured;
}

// G1
async function fight(
  { rounds, windowMs }: GatewayPlan,
  pace: Pace,
  [floor, contender]: readonly [Contender, Contender],
): Promise<Round[]> {
  const window = { pace, ms: windowMs };
  const fought: Round[] = [];
  for (let round = 0; round < rounds[pace]; round += 1) {
    const isFloorFirst = round % 2 === 0;
    const first = await (isFloorFirst ? floor : contender).measure(window);
    const second = await (isFloorFirst ? contender : floor).measure(window);
    fought.push(isFloorFirst ? { floor: first, own: second } : { floor: second, own: first });
  }
  return fought;
}

function rowsOf(duels: readonly Duel[], phase: Pick<GatewayRow, "pace" | "turns">): GatewayRow[] {
  const rowOf = (variant: string, windows: readonly Measured[], ratioToFloor: number): GatewayRow => {
    const middle = (of: (one: Measured) => number) => median(windows.map(of));
    return {
      variant,
      ...phase,
      cpuUsPerFrame: middle(({ cpuUsPerFrame }) => cpuUsPerFrame),
      framesPerSecond: middle(({ frames, seconds }) => frames / seconds),
      ratioToFloor,
      readerCpuUsPerFrame: middle(({ loadCpuUsPerFrame }) => loadCpuUsPerFrame),
    };
  };
  const floors = duels.flatMap(({ rounds }) => rounds.map(({ floor }) => floor));
  return [
    rowOf(FLOOR, floors, 1),
    ...duels.map(({ name, rounds }) => {
      const ratio = median(rounds.map(({ floor, own }) => own.cpuUsPerFrame / floor.cpuUsPerFrame));
      return rowOf(
        name,
        rounds.map(({ own }) => own),
        ratio,
      );
    }),
  ];
}
