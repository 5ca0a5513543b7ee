// A turn on a screen: each frame as what a person in front of a terminal wants to know of it.
// Owns: the words. Does not own: where they stand (screen.ts), frames as data (frame-line.ts).
//   T1. How long something took is told by the frames' own times, so that a replay says what the turn said.

import type { TurnEnd } from "@framerail/client";
import type { Frame, FrameOf } from "@framerail/protocol";
import { unreachable } from "@framerail/protocol";
import type { Screen } from "./screen.js";

export interface TurnView {
  show(frame: Frame): void;
  /** Everything so far is void. */
  reset(): void;
  end(outcome: TurnEnd): void;
}

export function createTurnView(screen: Screen): TurnView {
  let toolStarts = new Map<string, number>();
  let usage: FrameOf<"usage"> | undefined;
  let hasStatus = false;
  let firstAt: number | undefined;
  let lastAt = 0;

  const tookSince = (startedAt: number | undefined) => formatSeconds(lastAt - (startedAt ?? lastAt));

  return {
    show(frame) {
      lastAt = Date.parse(frame.timestamp);
      firstAt ??= lastAt;
      switch (frame.event_type) {
        case "response_id":
          // For `framerail tail` and `replay`, while it runs and afterwards.
          return screen.line(`turn ${frame.response_id}`, "quiet");
        case "text":
          hasStatus = false;
          return screen.text(frame.chunk);
        case "thinking":
          return hasStatus ? undefined : screen.status("Thinking…");
        case "status":
          hasStatus = true;
          return screen.status(frame.data.message);
        case "tool_call":
          return void toolStarts.set(frame.tool_call.id, lastAt);
        case "tool_completed": {
          const { id } = frame.tool_call;
          screen.line(describeTool(frame.tool_call, tookSince(toolStarts.get(id))));
          return void toolStarts.delete(id);
        }
        case "data_loaded":
          return screen.line(`▪ ${frame.data.type}: ${frame.data.items.length}`, "quiet");
        case "component":
          return screen.line(`▪ ${frame.tool_call.name}`, "quiet");
        case "usage":
          usage = frame;
          return;
        case "error":
          // The final one is the outcome.
          return frame.is_final ? undefined : screen.line(`! a part of the turn failed: ${frame.error.code}`);
        default:
          return;
      }
    },
    reset() {
      screen.endText();
      toolStarts = new Map();
      usage = undefined;
      hasStatus = false;
      firstAt = undefined;
    },
    end(outcome) {
      screen.endText();
      const parts = [describeEnd(outcome)];
      if (firstAt !== undefined) parts.push(tookSince(firstAt));
      if (usage !== undefined) parts.push(describeUsage(usage));
      screen.line(parts.join(" · "), "quiet");
    },
  };
}

function describeTool({ name, status }: FrameOf<"tool_completed">["tool_call"], took: string): string {
  switch (status) {
    case undefined:
      return `✓ ${name} ${took}`;
    case "cancelled":
      return `✗ ${name} cancelled after ${took}`;
    case "unknown":
      return `? ${name} how it ended is not known`;
    default:
      return unreachable(status);
  }
}

function describeEnd(outcome: TurnEnd): string {
  switch (outcome.kind) {
    case "completed":
      return outcome.paused ? "paused: it stopped at a limit or for an approval" : "completed";
    case "failed":
      return `failed: ${outcome.error?.code ?? "INTERNAL_ERROR"}`;
    case "cancelled":
      return outcome.code === "IDLE_TIMEOUT" ? "cancelled: the agent was silent for too long" : "cancelled";
    default:
      return unreachable(outcome);
  }
}

function describeUsage({ input_tokens, output_tokens }: FrameOf<"usage">): string {
  return `${input_tokens.toLocaleString("en")} tokens in, ${output_tokens.toLocaleString("en")} out`;
}

function formatSeconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}
