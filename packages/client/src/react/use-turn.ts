// A turn in a component: rendered with every change, at most once per animation frame. Unmounting never detaches or
// cancels the turn, so StrictMode's rehearsals and moving a component do it no harm.

import { useMemo, useSyncExternalStore } from "react";
import type { Turn, TurnState } from "../turn.js";
import { createFrameStore } from "./frame-store.js";

export function useTurn(turn: Turn): TurnState;
export function useTurn(turn: Turn | undefined): TurnState | undefined;
export function useTurn(turn: Turn | undefined): TurnState | undefined {
  const { subscribe, snapshot } = useMemo(() => createFrameStore(turn), [turn]);
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}
