// What does the gateway's process pay to deliver one frame, beside the barest server and beside others?
// Measured, for every variant in processes of its own, in turns in one run, medians of rounds: CPU of the server's process
// (threads included; not of Redis or Postgres) by frames that a reader in another process has received. Every number of
// turns has processes of its own: what a hundred saturated turns leave behind is no part of what a thousand cost.
//   paced       FRAMES_PER_SECOND for every turn, one frame at a time
//   saturated   bursts for every turn, as fast as the reader takes them
// Ours is the whole server (servers/ours.ts); the others are bare servers with the library's encoding, without policy, log,
// history and metrics. Every frame carries the same 60 bytes of text and weighs about 250 bytes.
// Not measured: a model, a network, opening turns (but for the time to the first frame), TLS.

import { median } from "../alternate.js";
import type { Measured, OpenContender } from "./contender.js";
import { Contender } from "./contender.js";
import type { GatewayRow } from "./gateway-row.js";
import { FRAMES_PER_SECOND, type Pace } from "./pacer.js";
import { printGoals, printPhase } from "./report.js";
import { FLOOR, SERVERS } from "./servers/servers.js";
import { openServices } from "./services.js";
import { printSides } from "./sides.js";

export interface GatewayPlan {
  readonly rounds: number;
  readonly windowMs: number;
  /** As fast as it goes, before anything counts. */
  readonly warmUpMs: number;
  readonly turns: readonly number[];
  /** Whether latency, memory, fan-out and resume are measured too. */
  readonly sides: boolean;
  readonly variants: readonly string[];
}

const PACES: readonly Pace[] = ["paced", "saturated"];
const FULL: GatewayPlan = {
  rounds: 5,
  windowMs: 2_000,
  warmUpMs: 6_000,
  turns: [1, 100, 1_000],
  sides: true,
  variants: [...SERVERS.keys()],
};
const QUICK: Partial<GatewayPlan> = { rounds: 1, windowMs: 1_000, warmUpMs: 1_000 };

/** `--quick`: one round of short windows; `--only a,b`: the floor and the variants whose names have one of these in them. */
export function benchGateway(args: readonly string[]): Promise<GatewayRow[]> {
  const only = args[args.indexOf("--only") + 1]?.split(",") ?? [];
  const isChosen = (name: string) => name === FLOOR || only.some((part) => name.includes(part));
  return runGateway({
    ...(args.includes("--quick") && QUICK),
    ...(args.includes("--only") && { variants: FULL.variants.filter(isChosen) }),
    ...(args.includes("--no-sides") && { sides: false }),
  });
}

export async function runGateway(given: Partial<GatewayPlan>): Promise<GatewayRow[]> {
  const plan = { ...FULL, ...given };
  console.log(
    `${FRAMES_PER_SECOND} frames a second and turn where paced; ${plan.rounds} rounds of ${plan.windowMs} ms`,
  );
  const services = await openServices();
  try {
    const open: OpenContender = async (name) => Contender.open(name, await services.next());
    const rows: GatewayRow[] = [];
    for (const turns of plan.turns) rows.push(...(await runPhases(plan, open, turns)));
    const sides = plan.sides ? await printSides(open) : undefined;
    if (sides !== undefined) printGoals(rows, sides);
    return rows;
  } finally {
    await services.close();
  }
}

/** Both paces at so many turns. */
async function runPhases(plan: GatewayPlan, open: OpenContender, turns: number): Promise<GatewayRow[]> {
  const contenders: Contender[] = [];
  try {
    for (const name of plan.variants) contenders.push(await open(name));
    for (const contender of contenders) {
      await contender.openStreams(turns);
      await contender.warmUp(plan.warmUpMs, plan.windowMs);
    }
    const rows: GatewayRow[] = [];
    for (const pace of PACES) {
      const found = await runRounds(plan, contenders, pace, turns);
      printPhase(found);
      rows.push(...found);
    }
    return rows;
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
  }
}

async function runRounds(
  { rounds, windowMs }: GatewayPlan,
  contenders: readonly Contender[],
  pace: Pace,
  turns: number,
): Promise<GatewayRow[]> {
  const samples = contenders.map((): Measured[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < contenders.length; place += 1) {
      const index = (place + round) % contenders.length;
      samples[index]?.push(await (contenders[index] as Contender).measure({ pace, ms: windowMs }));
    }
  }
  const middle = (index: number, of: (one: Measured) => number) => median((samples[index] ?? []).map(of));
  const floor = middle(0, ({ cpuUsPerFrame }) => cpuUsPerFrame);
  return contenders.map(({ name: variant }, index) => {
    const cpuUsPerFrame = middle(index, (one) => one.cpuUsPerFrame);
    const framesPerSecond = middle(index, ({ frames, seconds }) => frames / seconds);
    const readerCpuUsPerFrame = middle(index, (one) => one.loadCpuUsPerFrame);
    return {
      variant,
      pace,
      turns,
      cpuUsPerFrame,
      framesPerSecond,
      ratioToFloor: cpuUsPerFrame / floor,
      readerCpuUsPerFrame,
    };
  });
}
