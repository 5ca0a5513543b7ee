// A 0.5 frame as a reader of 0.4 gets it, made from the stored frame for that one reader [D-8, W-RB-3].
//   D1. `status` is left out, so seq may have gaps.
//   D2. `cancelled` becomes `error` with the same code, final.
//   D3. `text` gains `type: "chunk"` [I-3]; the three failure codes of 0.5 become INTERNAL_ERROR; `has_more` and
//       `tool_call.status` are left out.
//   D4. The end stays one end: a terminal of 0.5 projects to exactly one terminal of 0.4.

import { unreachable } from "../error.js";
import type { CODES_04 } from "./frame-set.js";
import type { Frame, FrameOf, FrameType } from "./vocabulary.js";

type Code04 = (typeof CODES_04)[number];
type Same = Exclude<FrameType, "status" | "cancelled" | "text" | "error" | "completed" | "tool_completed">;

type Envelope04<F> = F extends unknown ? Omit<F, "version"> & { readonly version: "0.4" } : never;

export type Frame04 =
  | Envelope04<FrameOf<Same | "completed" | "tool_completed">>
  | Envelope04<FrameOf<"text"> & { readonly type: "chunk" }>
  | Envelope04<Omit<FrameOf<"error">, "error"> & { readonly error: { readonly code: Code04 } }>;

export function projectFrame04(frame: Frame): Frame04 | undefined {
  switch (frame.event_type) {
    case "status":
      return undefined;
    case "text": {
      const { chunk, ...envelope } = frame;
      return { ...envelope, version: "0.4", type: "chunk", chunk };
    }
    case "cancelled":
      return { ...frame, version: "0.4", event_type: "error", error: { code: frame.error.code }, is_final: true };
    case "error":
      return { ...frame, version: "0.4", error: { code: code04(frame.error.code) } };
    case "completed": {
      const { has_more: _, ...rest } = frame;
      return { ...rest, version: "0.4" };
    }
    case "tool_completed": {
      const { id, name, type } = frame.tool_call;
      return { ...frame, version: "0.4", tool_call: { id, name, type } };
    }
    default:
      return { ...frame, version: "0.4" };
  }
}

function code04(code: FrameOf<"error">["error"]["code"]): Code04 {
  switch (code) {
    case "INTERNAL_ERROR":
    case "RATE_LIMIT_ERROR":
      return code;
    case "SUB_AGENT_FAILED":
    case "CCS_ENVELOPE_ERROR":
    case "PARTIAL_FAN_OUT":
      return "INTERNAL_ERROR";
    default:
      return unreachable(code);
  }
}
