// Asks whether the types of the agents in a folder are sound. They are loaded by stripping types, which takes what is wrong
// with them for granted.
// Owns: the thread, and its time. Does not own: what the thread does (type-check-thread.ts), what becomes of its verdict.
//   A1. It never fails: a check that cannot be made, or takes too long, is left out, and says why.
//   A2. The thread is gone once there is a verdict, or nobody waits for one any more.

import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "@framerail/protocol";
import { systemClock } from "@framerail/protocol";
import { findAgentFiles } from "./find-agent-files.js";
import type { AgentSources, TypeProblem } from "./judge-types.js";
import { TYPE_CHECK_MS_MAX } from "./limits.js";

export type TypeVerdict =
  | { readonly kind: "sound" }
  | { readonly kind: "wrong"; readonly first: TypeProblem; readonly count: number }
  | { readonly kind: "left_out"; readonly reason: string };

export interface TypeCheck {
  readonly verdict: Promise<TypeVerdict>;
  /** Ends it, whatever it does. */
  stop(): Promise<void>;
}

export interface TypeCheckOptions {
  /** The built file of the thread. */
  readonly thread?: URL;
  readonly clock?: Clock;
  readonly msMax?: number;
}

const THREAD = new URL("./type-check-thread.js", import.meta.url);
const TYPED = /\.m?ts$/;

/** Throws INVALID_AGENT for a folder that cannot be read. */
export function checkAgentTypes(folder: string, options: TypeCheckOptions = {}): TypeCheck {
  const root = resolve(folder);
  const files = findAgentFiles(root).filter((path) => TYPED.test(path));
  if (files.length === 0) return { verdict: Promise.resolve({ kind: "sound" }), stop: () => Promise.resolve() };
  return startThread({ folder: root, files }, options);
}

function startThread(sources: AgentSources, options: TypeCheckOptions): TypeCheck {
  const { thread = THREAD, clock = systemClock, msMax = TYPE_CHECK_MS_MAX } = options;
  // What this process was told to load first is not for the compiler.
  const worker = new Worker(thread, { workerData: sources, execArgv: [] });
  const stop = async () => void (await worker.terminate());
  const verdict = new Promise<TypeVerdict>((settle) => {
    const leaveOut = (reason: string) => settle({ kind: "left_out", reason });
    const cancelTimer = clock.schedule(msMax, () => {
      leaveOut(`it took longer than ${msMax / 1000} s`);
      void stop();
    });
    worker.once("message", settle);
    // A1
    worker.once("error", (error: Error) => leaveOut(`it failed: ${error.message}`));
    worker.once("exit", () => {
      cancelTimer();
      leaveOut("it was ended");
    });
  });
  return { verdict, stop };
}
