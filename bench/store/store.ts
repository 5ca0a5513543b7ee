// What does our store cost beside its driver alone?
// Measured, for our store and for the bare driver in turns in one run, medians of rounds:
//   ends      the final commit of a turn (turn-ends.ts), so many a second and flat out: wall time of a commit from the
//             moment it was due, CPU of this process (for the embedded database with its thread; the server is not in it)
//   journal   rows of inner events, in commits of few and of many, one commit after the other; ours waits for the end of
//             the tick before each, which is in its time
//   delays    how long the embedded database held up this thread's event loop, from its opening on
// The bare driver writes the same rows in as many transactions, by statements that are fewest and plainest; it has no
// tenant, no row security, no check of the turn's owner. With pg they are prepared by name and not waited for one by one.
// PGlite's own calls cannot do that: it reads and plans every statement anew, which ours does not.
// Not measured: packing the frames, a network (the server is on this machine), a database that has grown large.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedDriver } from "../../packages/framerail/dist/store/embedded/embedded-driver.js";
import { migrate } from "../../packages/framerail/dist/store/migrate.js";
import { createPostgresDriver } from "../../packages/framerail/dist/store/postgres/postgres-driver.js";
import { createPostgresServer } from "../../packages/framerail/src/store/testing/postgres-server.js";
import type { Contender } from "./contenders.js";
import { createBarePostgres, createOurs, openBarePglite } from "./contenders.js";
import type { LoopDelays } from "./loop-delay.js";
import { openLoopWatch } from "./loop-delay.js";
import type { StoreRow } from "./phases.js";
import { runEnds, runJournal } from "./phases.js";

export type { StoreRow } from "./phases.js";

export async function benchStore(): Promise<StoreRow[]> {
  return [...(await benchEmbedded()), ...(await benchPostgres())];
}

async function benchEmbedded(): Promise<StoreRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "framerail-bench-"));
  const watch = openLoopWatch();
  const delays = new Map<string, LoopDelays>();
  const watched = async <T>(phase: string, work: () => Promise<T>): Promise<T> => {
    const { result, delays: seen } = await watch.during(work);
    delays.set(phase, worse(delays.get(phase), seen));
    return result;
  };
  const open = async (name: string) => {
    const driver = await openEmbeddedDriver({ folder: join(folder, name) });
    await migrate(driver);
    return driver;
  };
  try {
    await (await open("bare")).close();
    await (await watched("open, new folder", () => open("ours"))).close();
    const ours = createOurs(await watched("open, again", () => open("ours")));
    const bare = await openBarePglite(join(folder, "bare", "postgres"));
    // Watching costs CPU by itself, so both are watched, and only ours is told.
    const rows = await runPhases("embedded", [bare, ours], async (phase, contender, work) =>
      contender === ours ? watched(phase, work) : (await watch.during(work)).result,
    );
    printDelays(delays);
    return rows;
  } finally {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchPostgres(): Promise<StoreRow[]> {
  const server = await createPostgresServer();
  try {
    await server.start();
    const url = server.url("postgres");
    const driver = createPostgresDriver({ url });
    await migrate(driver);
    return await runPhases("postgres", [createBarePostgres(url), createOurs(driver)], (_, __, work) => work());
  } finally {
    await server.dispose();
  }
}

type Watch = <T>(phase: string, contender: Contender, work: () => Promise<T>) => Promise<T>;

async function runPhases(driver: string, contenders: readonly Contender[], watch: Watch): Promise<StoreRow[]> {
  try {
    return [...(await runEnds(driver, contenders, watch)), ...(await runJournal(driver, contenders, watch))];
  } finally {
    for (const contender of contenders) await contender.close();
  }
}

const worse = (before: LoopDelays | undefined, now: LoopDelays): LoopDelays =>
  before === undefined
    ? now
    : {
        here: {
          p99Ms: Math.max(before.here.p99Ms, now.here.p99Ms),
          maxMs: Math.max(before.here.maxMs, now.here.maxMs),
        },
        idle: {
          p99Ms: Math.max(before.idle.p99Ms, now.idle.p99Ms),
          maxMs: Math.max(before.idle.maxMs, now.idle.maxMs),
        },
      };

function printDelays(delays: ReadonlyMap<string, LoopDelays>): void {
  console.log("embedded, delay of the event loop in ms (in brackets: of an idle process at the same time)");
  for (const [phase, { here, idle }] of delays) {
    const pair = (name: "p99Ms" | "maxMs") => `${here[name].toFixed(1).padStart(6)} (${idle[name].toFixed(1)})`;
    console.log(`  ${phase.padEnd(24)} p99 ${pair("p99Ms").padEnd(16)} max ${pair("maxMs")}`);
  }
  console.log("");
}
