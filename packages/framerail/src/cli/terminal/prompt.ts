// Lines that a person types, or a program pipes in, one at a time.
// Owns: the line editor and what waits in it. Does not own: what a line is for (chat-command.ts).
//   P1. While nobody asks for a line the terminal is as the shell left it, so that Ctrl-C is a signal again.
//   P2. Lines are edited with escape sequences only where the terminal is lively; elsewhere the terminal edits them itself.
//   P3. What was typed or piped in early waits, up to LINES_WAITING_MAX; then reading waits.

import { createInterface } from "node:readline";
import type { Device } from "./device.js";
import { HISTORY_LINES_MAX, LINES_WAITING_MAX } from "./limits.js";

export type PromptDevice = Pick<Device, "input" | "promptOutput" | "isLively" | "isShared">;

export interface Prompt {
  /** The next line; undefined at the end of the input. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** `onInterrupt` hears Ctrl-C where the editor has it, and no signal comes. */
export function openPrompt(device: PromptDevice, onInterrupt: () => void): Prompt {
  const { input, promptOutput, isLively, isShared } = device;
  const isTyped = input.isTTY === true;
  // P2
  const isEdited = isTyped && isLively;
  const reader = createInterface({
    input,
    terminal: isEdited,
    historySize: HISTORY_LINES_MAX,
    prompt: "> ",
    ...(isTyped && isShared && { output: promptOutput }),
  });
  const lines: string[] = [];
  let hasEnded = false;
  let take: ((line: string | undefined) => void) | undefined;

  const hand = (line: string | undefined) => {
    const taker = take;
    take = undefined;
    if (!hasEnded) rest();
    taker?.(line);
  };
  // P1
  const rest = () => {
    if (isEdited) input.setRawMode?.(false);
    if (isTyped) reader.pause();
  };
  reader.on("line", (line) => {
    if (take !== undefined) return hand(line);
    lines.push(line);
    // P3
    if (lines.length >= LINES_WAITING_MAX) reader.pause();
  });
  reader.on("close", () => {
    hasEnded = true;
    hand(undefined);
  });
  reader.on("SIGINT", onInterrupt);

  return {
    next() {
      const waiting = lines.shift();
      if (waiting !== undefined || hasEnded) return Promise.resolve(waiting);
      return new Promise((resolve) => {
        take = resolve;
        if (isEdited) input.setRawMode?.(true);
        if (isTyped) reader.prompt();
        else reader.resume();
      });
    },
    close: () => reader.close(),
  };
}
