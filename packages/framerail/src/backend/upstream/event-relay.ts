// One event of an upstream service after the other, from its text to the writer [W-MAP-2, W-MAP-3, C-11].
// Owns: what each event means for the run. Does not own: bytes (read-body.ts), names of other speakers (the protocol's
// aliases), pairs (tool-pairing.ts), what the service's figures come to (service-usage.ts).
//   V1. The runtime opens and ends turns: the service's opening is swallowed, its end becomes ours [W-MAP-2].
//   V2. The first end counts. What comes after it is dropped, and told to operators [C-23].
//   V3. An unknown type is ignored and told; a known one that breaks its schema ends the run [W-MAP-4].
//   V4. The runtime tells the turn's usage, too: the service's sum is accounted for, as far as its calls have not told it,
//       and not shown [C-14].

import type { AgentEvent, Clock, EventOf } from "@framerail/protocol";
import { FramerailError, isFramerailError, parseJson, readEvent, SSE_DONE, unreachable } from "@framerail/protocol";
import type { RunEnd } from "../../agent/agent.js";
import type { Writer } from "../../agent/writer.js";
import { believable } from "../believable.js";
import { createNotices } from "../notices.js";
import { createToolPairing } from "../tool-pairing.js";
import { createServiceUsage } from "./service-usage.js";
import { failureOfEvent, upstreamFailed } from "./upstream-failure.js";

export interface EventRelay {
  /** Throws the run's failure. */
  take(text: string): void;
  /** Events of our vocabulary so far: the service's signs of life. */
  readonly heard: number;
  /** Set by the service's end. */
  readonly end: RunEnd | undefined;
  /** Accounts for what the service's sum has beyond its calls; to be called once, on every way out (V4). */
  settle(): void;
}

export function createEventRelay(writer: Writer, clock: Clock): EventRelay {
  const notice = createNotices(writer);
  const tools = createToolPairing((event) => writer.write(event));
  const usage = createServiceUsage();
  let heard = 0;
  let end: RunEnd | undefined;
  return {
    take(text) {
      if (text === SSE_DONE) return;
      if (end !== undefined) {
        notice("an upstream event after the end was dropped");
        return;
      }
      const said = read(text, clock.now(), (type) => notice("an upstream event of an unknown type was ignored", type));
      if (said === undefined) return;
      heard += 1;
      const event = believable(said);
      usage.hear(event);
      if (event.type === "error") throw failureOfEvent(event);
      if (event.type === "end_stream") end = endOf(event);
      else if (event.type !== "init_stream" && event.type !== "usage") tools.write(event);
    },
    settle() {
      const tokens = usage.untold();
      if (tokens !== undefined) writer.write({ type: "metrics", model: writer.emitter, tokens });
    },
    get heard() {
      return heard;
    },
    get end() {
      return end;
    },
  };
}

function read(text: string, now: number, onUnknown: (type: unknown) => void): AgentEvent | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
    return readEvent(value, now);
  } catch (error) {
    if (!isUnknownType(error)) throw upstreamFailed("sent what is no event", error);
    onUnknown((value as { readonly type?: unknown }).type);
    return undefined;
  }
}

/** A type that is a name, and not one of ours; a value without any type is no event at all. */
function isUnknownType(error: unknown): boolean {
  return isFramerailError(error) && error.issue?.path === "type" && error.issue.rule === "one_of";
}

function endOf({ status, has_more }: EventOf<"end_stream">): RunEnd {
  switch (status) {
    case "success":
      return has_more ? { kind: "paused", limit: "state_limit" } : { kind: "completed" };
    case "error":
      throw upstreamFailed("ended with an error");
    case "cancelled":
      throw new FramerailError("CANCELLED", "the upstream agent was cancelled");
    default:
      return unreachable(status);
  }
}
