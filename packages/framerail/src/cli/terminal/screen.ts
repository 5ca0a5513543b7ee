// What a person sees of a turn: the answer as it comes, lines about it, and one status line that is replaced.
// Owns: which of the two outputs gets what, and that they do not run into each other. Does not own: what is said
// (turn-view.ts), what the terminal is (device.ts).
//   S1. The answer is alone on stdout, byte for byte what the model wrote but for controls; everything else is on stderr.
//   S2. On a screen that both share, a line about the answer begins on a line of its own.
//   S3. The status line is one line: cut to the width, replaced by the next, gone before anything else is written. Where
//       nothing can be replaced, every status is a line.
//   S4. Without a lively terminal no escape sequence is written.

import type { Terminal } from "../terminal.js";
import type { Device } from "./device.js";
import { cutToWidth } from "./display-width.js";
import type { StripControls } from "./strip-controls.js";
import { createControlStripper, toOneLine } from "./strip-controls.js";

const ERASE_LINE = "\r\x1b[2K";
const DIM = "\x1b[2m";
const UNDIM = "\x1b[22m";

export interface Screen {
  /** The next piece of the answer. */
  text(piece: string): void;
  /** A line about it. `quiet`: dimmed, where that can be. */
  line(text: string, look?: "quiet"): void;
  /** What is being done; undefined takes it away. */
  status(message: string | undefined): void;
  /** The answer is over, or void. */
  endText(): void;
}

export type ScreenDevice = Pick<Device, "isLively" | "isShared" | "columns">;

export function createScreen(terminal: Pick<Terminal, "out" | "err">, device: ScreenDevice): Screen {
  let strip: StripControls = createControlStripper();
  let midLine = false;
  let status: string | undefined;

  const dim = (text: string) => (device.isLively ? `${DIM}${text}${UNDIM}` : text);
  const eraseStatus = () => {
    if (device.isLively && status !== undefined) terminal.err(ERASE_LINE);
  };
  // S2
  const leaveText = () => {
    if (midLine && device.isShared) {
      terminal.out("\n");
      midLine = false;
    }
  };
  // S3. The last column stays free: some terminals wrap as soon as it is written.
  const drawStatus = () => {
    if (!device.isLively || status === undefined) return;
    leaveText();
    terminal.err(ERASE_LINE + dim(cutToWidth(status, device.columns() - 1)));
  };

  const line = (text: string, look?: "quiet") => {
    eraseStatus();
    leaveText();
    const shown = toOneLine(text);
    terminal.err(`${look === "quiet" ? dim(shown) : shown}\n`);
    drawStatus();
  };
  const setStatus = (message: string | undefined) => {
    const said = message === undefined ? undefined : toOneLine(message);
    if (said === status) return;
    if (said === undefined) eraseStatus();
    status = said;
    if (device.isLively) drawStatus();
    else if (said !== undefined) line(said);
  };

  return {
    line,
    status: setStatus,
    text(piece) {
      const shown = strip(piece);
      if (shown === "") return;
      setStatus(undefined);
      terminal.out(shown);
      midLine = !shown.endsWith("\n");
    },
    endText() {
      setStatus(undefined);
      if (midLine) terminal.out("\n");
      midLine = false;
      strip = createControlStripper();
    },
  };
}
