// A turn's state for React, renewed at most once per animation frame however fast frames come.
//   R1. The snapshot stays the same object between two renewals, as React demands.
//   R2. What happened between rendering and subscribing is not missed.
//   R3. Making a store does nothing: it may be made on a server, or twice, and be thrown away.

import { systemClock } from "../clock.js";
import { RENDER_MS_MIN } from "../limits.js";
import type { Turn, TurnState } from "../turn.js";

export interface FrameStore {
  subscribe(listener: () => void): () => void;
  snapshot(): TurnState | undefined;
}

/** Calls back with the next animation frame, or after about as long where there are none; gives what takes it back. */
export type NextFrame = (callback: () => void) => () => void;

export function createFrameStore(turn: Turn | undefined, nextFrame: NextFrame = systemNextFrame): FrameStore {
  if (turn === undefined) return { subscribe: () => () => undefined, snapshot: () => undefined };
  let shown = turn.state;
  const listeners = new Set<() => void>();
  let leave: (() => void) | undefined;
  let cancel: (() => void) | undefined;

  const renew = () => {
    cancel = undefined;
    if (shown === turn.state) return;
    shown = turn.state;
    for (const listener of listeners) listener();
  };
  const onChange = () => {
    cancel ??= nextFrame(renew);
  };

  return {
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      if (leave === undefined) {
        leave = turn.subscribe(onChange);
        // R2
        onChange();
      }
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        leave?.();
        leave = undefined;
        cancel?.();
        cancel = undefined;
      };
    },
    snapshot: () => shown,
  };
}

function systemNextFrame(callback: () => void): () => void {
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis as Partial<typeof globalThis>;
  if (requestAnimationFrame === undefined) return systemClock.schedule(RENDER_MS_MIN, callback);
  const handle = requestAnimationFrame(callback);
  return () => cancelAnimationFrame?.(handle);
}
