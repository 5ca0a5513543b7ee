// A process of its own that is asked one thing at a time and answers. Both ends are here.
//   L1. A child that dies, or that fails, fails whoever asks it; nobody waits for an answer that cannot come.

import { fork } from "node:child_process";
import { once } from "node:events";

export interface Child<Asked> {
  readonly pid: number;
  ask<Answer>(asked: Asked): Promise<Answer>;
  close(): Promise<void>;
}

interface Reply {
  readonly answer?: unknown;
  readonly error?: string;
}

export function openChild<Asked extends object>(
  file: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Child<Asked> {
  const child = fork(file, args, {
    execArgv: ["--import", "tsx", "--expose-gc", ...nodeArgs],
    serialization: "advanced",
  });
  let settle: ((reply: Reply) => void) | undefined;
  child.on("message", (reply: Reply) => settle?.(reply));
  const ended = once(child, "exit").then(([code]) => {
    settle?.({ error: `${file} ${args.join(" ")} has ended with ${String(code)}` });
  });
  return {
    pid: child.pid ?? 0,
    async ask<Answer>(asked: Asked): Promise<Answer> {
      const reply = await new Promise<Reply>((resolve) => {
        settle = resolve;
        // L1
        child.send(asked, (error) => error && resolve({ error: error.message }));
      });
      settle = undefined;
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply.answer as Answer;
    },
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** The child's end; it ends when its parent lets go of it. */
export function answerParent<Asked>(answer: (asked: Asked) => unknown): void {
  process.on("message", (asked: Asked) => {
    Promise.resolve()
      .then(() => answer(asked))
      .then(
        (given) => process.send?.({ answer: given } satisfies Reply),
        (error: unknown) => process.send?.({ error: String((error as Error).stack ?? error) } satisfies Reply),
      );
  });
  process.on("disconnect", () => process.exit());
}
