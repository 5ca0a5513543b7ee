// The program with a probe in it: what it holds can be asked for, and how long it had to wait for a processor.

import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyEmbeddedTemplate } from "../../packages/framerail/src/store/testing/open-store.js";
import { startProgram } from "../harness/program.js";

export interface Holding {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Handles that keep the process alive, by kind: timers, sockets and the like. */
  readonly held: Readonly<Record<string, number>>;
  /** Without the files of the database, of which it keeps more open the more it has read. */
  readonly descriptors: number;
}

const MEASURE_MS_MAX = 30_000;
const PROBE = join(import.meta.dirname, "probe.mjs");

export type ProbedProgram = Awaited<ReturnType<typeof startProbed>>;

/** `dev` on a database of its own; an unhandled rejection ends it. */
export async function startProbed(env: Readonly<Record<string, string>>, agents = "e2e/agents") {
  const data = copyEmbeddedTemplate();
  const folder = mkdtempSync(join(tmpdir(), "framerail-probe-"));
  const file = join(folder, "holding.json");
  const program = await startProgram({
    args: ["dev", "--agents", agents, "--data", data, "--port", "0"],
    env: { ...env, FRAMERAIL_PROBE: file },
    nodeArgs: ["--expose-gc", "--unhandled-rejections=strict", "--import", PROBE],
  });
  return {
    ...program,
    /** What it holds after its garbage was collected. */
    async measure(): Promise<Holding> {
      rmSync(file, { force: true });
      program.signal("SIGUSR2");
      for (const until = performance.now() + MEASURE_MS_MAX; !existsSync(file); await sleep(20))
        if (performance.now() > until) throw new Error("the program does not say what it holds");
      const descriptors = openFilesOf(program.pid).filter((path) => !path.startsWith(join(data, "postgres"))).length;
      return { ...(JSON.parse(readFileSync(file, "utf8")) as Omit<Holding, "descriptors">), descriptors };
    },
    async close() {
      await program.kill();
      rmSync(data, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      // Closed since the folder was read.
      return [];
    }
  });
}

/** How long the main thread of a process was ready to run and no processor was free, in all, so far. */
export function processorWaitMs(pid: number): number {
  const [, waitedNs = "0"] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(waitedNs) / 1e6;
}
