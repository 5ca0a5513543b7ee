// The frames of a turn as the client hands them over, also past a point where the turn begins again.
//   R1. A turn that begins again from its first frame is told, then read anew; the client bounds how often.

import type { Turn } from "@framerail/client";
import type { Frame } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";

export async function* readFrames(turn: Turn, onReset: () => void): AsyncGenerator<Frame, void> {
  for (;;) {
    const { resets } = turn.state;
    try {
      yield* turn;
      return;
    } catch (error) {
      // R1
      const hasBegunAgain = isFramerailError(error) && error.code === "CURSOR_EXPIRED" && turn.state.resets > resets;
      if (!hasBegunAgain) throw error;
      onReset();
    }
  }
}
