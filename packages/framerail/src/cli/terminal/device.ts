// The terminal around a command: is it one, how wide is it, who types, who has left.
// Owns: the port, and the process as one. Does not own: what is written on it (screen.ts), reading lines (prompt.ts).
//   V1. Escape sequences are for a terminal that understands them and a person who did not ask to be spared them.
//   V2. A reader that closes the pipe has enough: `closed` fires, and nobody complains.

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { COLUMNS } from "./limits.js";

/** Ctrl-C, by the custom of shells: 128 and the number of SIGINT. */
export const EXIT_INTERRUPTED = 130;

export interface TypedInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

export interface Device {
  /** Lines may be replaced and dimmed. */
  readonly isLively: boolean;
  /** The answer and what is said about it are on one screen. */
  readonly isShared: boolean;
  readonly input: TypedInput;
  /** Where a prompt is shown. */
  readonly promptOutput: Writable;
  columns(): number;
  /** Fires when nobody reads the output any more. */
  readonly closed: AbortSignal;
  /** Resolves when what was written has been taken, or never will be. */
  drained(): Promise<void>;
  /** Hears every Ctrl-C until the returned function is called; without a listener the first one ends the process. */
  onInterrupt(listener: () => void): () => void;
  quit(code: number): void;
}

/** A process has one terminal, and listens to it once. */
let processDevice: Device | undefined;

export function openProcessDevice(): Device {
  processDevice ??= createProcessDevice();
  return processDevice;
}

function createProcessDevice(): Device {
  const { stdin, stdout, stderr, env } = process;
  const closing = new AbortController();
  // V2. What is not about a closed pipe ends the program, as it does everywhere else.
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closing.abort();
  };
  stdout.on("error", onError);
  stderr.on("error", onError);
  const isShared = stdout.isTTY && stderr.isTTY;
  return {
    // V1
    isLively: isShared && !env.NO_COLOR && env.TERM !== "dumb",
    isShared,
    input: stdin,
    promptOutput: stderr,
    // A terminal that nobody has told its size says 0.
    columns: () => stdout.columns || COLUMNS,
    closed: closing.signal,
    async drained() {
      if (!stdout.writableNeedDrain || closing.signal.aborted) return;
      await once(stdout, "drain", { signal: closing.signal }).catch((error: NodeJS.ErrnoException) => {
        if (!closing.signal.aborted) onError(error);
      });
    },
    onInterrupt(listener) {
      process.on("SIGINT", listener);
      return () => void process.off("SIGINT", listener);
    },
    quit: (code) => process.exit(code),
  };
}
