// Keeps a storm of the same warning from filling a disk and hiding the rest: the first few are written, the others are counted
// and told of in one line.
// Owns: the windows. Does not own: what makes two lines the same (logger.ts).
//   W1. Nothing goes untold: every line is written or in the count of a line that is.
//   W2. Bounded: so many sayings in a window; the ones past it are one.

import type { Clock } from "@framerail/protocol";
import { REPEAT_WINDOW_MS, REPEATS_MAX, SAYINGS_MAX } from "./limits.js";

export interface RepeatLimit {
  /** Whether the line may be written. If not, `tell` is called at the end of the window, with how many were not. */
  admit(saying: string, tell: (suppressed: number) => void): boolean;
  /** Ends every window now. */
  close(): void;
}

interface Window {
  written: number;
  suppressed: number;
  tell: (suppressed: number) => void;
  readonly cancel: () => void;
}

/** Whatever is said beyond the maximum; no message is empty. */
const THE_REST = "";

export function createRepeatLimit(clock: Clock): RepeatLimit {
  const windows = new Map<string, Window>();
  const end = (saying: string) => {
    const window = windows.get(saying);
    if (window === undefined) return;
    windows.delete(saying);
    window.cancel();
    if (window.suppressed > 0) window.tell(window.suppressed);
  };
  const open = (saying: string, tell: Window["tell"]): Window => {
    const cancel = clock.schedule(REPEAT_WINDOW_MS, () => end(saying));
    const window = { written: 0, suppressed: 0, tell, cancel };
    windows.set(saying, window);
    return window;
  };
  return {
    admit(given, tell) {
      const saying = windows.has(given) || windows.size < SAYINGS_MAX ? given : THE_REST;
      const window = windows.get(saying) ?? open(saying, tell);
      if (window.written < REPEATS_MAX) {
        window.written += 1;
        return true;
      }
      window.suppressed += 1;
      window.tell = tell;
      return false;
    },
    close() {
      for (const saying of [...windows.keys()]) end(saying);
    },
  };
}
