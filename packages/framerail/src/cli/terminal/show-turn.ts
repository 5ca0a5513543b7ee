// Reads a turn to its end and shows it, as text or as lines for a program.
// Owns: the loop over frames. Does not own: who began the turn, what Ctrl-C does to it.
//   H1. What is written waits for whoever reads it: no frame is taken before the one before has been.
//   H2. A reader that closed the pipe is no failure: the turn is left, and runs on.

import type { Turn, TurnEnd } from "@framerail/client";
import type { Frame } from "@framerail/protocol";
import type { Terminal } from "../terminal.js";
import type { Device } from "./device.js";
import { encodeFrameLine } from "./frame-line.js";
import { readFrames } from "./read-frames.js";
import type { Screen } from "./screen.js";
import type { TurnView } from "./turn-view.js";
import { createTurnView } from "./turn-view.js";

export interface ShowOptions {
  readonly terminal: Terminal;
  readonly device: Device;
  readonly screen: Screen;
  readonly json: boolean;
  /** What stands between the turn and its viewer, such as waits. */
  pace?(frames: AsyncIterable<Frame>): AsyncIterable<Frame>;
}

/** How the turn ended; undefined when it was left before. */
export async function showTurn(turn: Turn, options: ShowOptions): Promise<TurnEnd | undefined> {
  const { terminal, device, screen, json, pace = (frames) => frames } = options;
  const view = json ? jsonView(terminal, device) : createTurnView(screen);
  for await (const frame of pace(readFrames(turn, () => view.reset()))) {
    view.show(frame);
    // H1
    await device.drained();
  }
  const { outcome } = turn.state;
  // H2
  if (outcome === undefined || device.closed.aborted) return undefined;
  view.end(outcome);
  return outcome;
}

function jsonView(terminal: Terminal, device: Device): TurnView {
  return {
    show: (frame) => terminal.out(encodeFrameLine(frame, device)),
    reset: () => undefined,
    end: () => undefined,
  };
}
