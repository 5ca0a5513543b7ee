// The frames of a turn in a component.

import type { Turn } from "@framerail/client";
import { useCallback, useSyncExternalStore } from "react";
import type { FrameView } from "./frame-feed.js";
import { feedOf, NO_FRAMES } from "./frame-feed.js";

export function useFrames(turn: Turn | undefined): FrameView {
  const subscribe = useCallback(
    (listener: () => void) => (turn === undefined ? () => undefined : feedOf(turn).subscribe(listener)),
    [turn],
  );
  return useSyncExternalStore(subscribe, () => (turn === undefined ? NO_FRAMES : feedOf(turn).view()));
}
