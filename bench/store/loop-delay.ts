// How long this thread's event loop was held up, beside a process that does nothing at all: what both see is the machine's
// doing, what only we see is ours.
// The idle process is this file, run by itself.

import { fork } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LoopDelays {
  readonly here: LoopDelay;
  readonly idle: LoopDelay;
}

function startMonitor(): () => LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return () => {
    histogram.disable();
    return { p99Ms: histogram.percentile(99) / NS_PER_MS, maxMs: histogram.max / NS_PER_MS };
  };
}

export interface LoopWatch {
  /** Watches while the work runs. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly delays: LoopDelays }>;
  close(): void;
}

export function openLoopWatch(): LoopWatch {
  const child = fork(fileURLToPath(import.meta.url));
  const ask = async (message: "start" | "stop") => {
    child.send(message);
    const [answer] = (await once(child, "message")) as [LoopDelay | null];
    return answer;
  };
  return {
    async during(work) {
      await ask("start");
      const stop = startMonitor();
      const result = await work();
      const here = stop();
      const idle = (await ask("stop")) as LoopDelay;
      return { result, delays: { here, idle } };
    },
    close: () => child.disconnect(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let stop: (() => LoopDelay) | undefined;
  process.on("message", (message) => {
    if (message === "start") {
      stop = startMonitor();
      process.send?.(null);
    } else process.send?.(stop?.());
  });
}
