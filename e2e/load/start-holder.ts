// Starts a process that holds streams (hold-streams.ts), so that the clock of the test is not theirs.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HoldReport, HoldRequest } from "./hold-streams.js";

export interface Holder {
  /** One at a time. */
  ask(request: HoldRequest): Promise<HoldReport>;
  close(): Promise<void>;
}

export function startHolder(): Holder {
  const child = fork(join(import.meta.dirname, "hold-streams.ts"), [], { execArgv: ["--import", "tsx"] });
  const ended = once(child, "exit");
  return {
    async ask(request) {
      const answered = once(child, "message");
      child.send(request);
      const [report] = (await Promise.race([
        answered,
        ended.then(() => Promise.reject(new Error("the holder died"))),
      ])) as [HoldReport];
      return report;
    },
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
