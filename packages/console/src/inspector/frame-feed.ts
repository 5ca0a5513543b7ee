// The frames of a turn as they come, for a screen: one growing list, told at most once per animation frame.
//   F1. The list only grows, until the turn begins again from its first frame; then it is another list.
//   F2. A turn has one feed, however many look at it, and no feed before somebody does.

import type { Turn } from "@framerail/client";
import type { Frame } from "@framerail/protocol";

export type ToolEnd = "finished" | "cancelled" | "unknown";

export interface FrameView {
  /** Append-only; `count` says how many of them belong to this view. */
  readonly frames: readonly Frame[];
  readonly count: number;
  /** How each tool that has ended did. */
  readonly toolEnds: ReadonlyMap<string, ToolEnd>;
}

export interface FrameFeed {
  view(): FrameView;
  subscribe(listener: () => void): () => void;
}

/** Calls back with the next animation frame. */
export type NextFrame = (callback: () => void) => void;

export const NO_FRAMES: FrameView = { frames: [], count: 0, toolEnds: new Map() };

const feeds = new WeakMap<Turn, FrameFeed>();

/** F2 */
export function feedOf(turn: Turn): FrameFeed {
  const feed = feeds.get(turn) ?? createFrameFeed(turn, (callback) => void requestAnimationFrame(callback));
  feeds.set(turn, feed);
  return feed;
}

export function createFrameFeed(turn: Turn, nextFrame: NextFrame): FrameFeed {
  const listeners = new Set<() => void>();
  let frames: Frame[] = [];
  let toolEnds = new Map<string, ToolEnd>();
  let view = NO_FRAMES;
  let isDue = false;
  let hasBegun = false;

  const renew = () => {
    isDue = false;
    view = { frames, count: frames.length, toolEnds };
    for (const listener of listeners) listener();
  };
  const take = (frame: Frame) => {
    frames.push(frame);
    if (frame.event_type === "tool_completed") toolEnds.set(frame.tool_call.id, frame.tool_call.status ?? "finished");
    if (isDue) return;
    isDue = true;
    nextFrame(renew);
  };
  const follow = async () => {
    for (;;) {
      const { resets } = turn.state;
      try {
        for await (const frame of turn) take(frame);
        return;
      } catch {
        // Told by the turn's own state, which is on the screen as well.
        if (turn.state.resets === resets) return;
      }
      // F1
      frames = [];
      toolEnds = new Map();
    }
  };

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      if (!hasBegun) {
        hasBegun = true;
        void follow();
      }
      return () => void listeners.delete(listener);
    },
  };
}
