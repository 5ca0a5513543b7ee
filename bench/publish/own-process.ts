// Runs variants each in a process of its own. In one process they would tax each other: once anything there uses
// AsyncLocalStorage, as our writer and LangGraph do, every promise costs more, and a stack of web streams makes many.
// The child's side is variant-process.ts.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Variant } from "../alternate.js";

const CHILD = fileURLToPath(new URL("variant-process.ts", import.meta.url));

export interface OwnProcesses {
  /** CPU nanoseconds that the variant's process took for the work. */
  measure(variant: Variant, times: number): Promise<number>;
  close(): void;
}

export function openProcesses(): OwnProcesses {
  const children = new Map<Variant, ChildProcess>();
  return {
    async measure(variant, times) {
      let child = children.get(variant);
      if (child === undefined) {
        child = fork(CHILD, [variant.name]);
        children.set(variant, child);
      }
      child.send(times);
      return await answerOf(child, variant.name);
    },
    close() {
      for (const child of children.values()) child.disconnect();
    },
  };
}

async function answerOf(child: ChildProcess, name: string): Promise<number> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const died = once(child, "exit", { signal }).then(() => {
    throw new Error(`the process of ${name} has ended`);
  });
  try {
    const [cpuNs] = (await Promise.race([once(child, "message", { signal }), died])) as [number];
    return cpuNs;
  } finally {
    // The loser of the race is told that nobody waits for it any more.
    died.catch(() => undefined);
    waiting.abort();
  }
}
