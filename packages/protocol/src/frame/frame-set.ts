// The frames of each wire version as whole schemas, envelope included: what a reader checks against and what is
// published. 0.5 is the vocabulary; 0.4 is derived from it by what that version had otherwise [W-RB-3, I-3, W-IN-4].

import type { ObjectNode, Schema } from "../schema/schema.js";
import { boolean, literal, object, oneOf, optional } from "../schema/schema.js";
import { frameSchemaOf, WIRE_VERSION } from "./define-frame.js";
import { CANCEL_CODES } from "./failure.js";
import { FRAMES } from "./vocabulary.js";

export const WIRE_VERSIONS = ["0.4", WIRE_VERSION] as const;
export type WireVersion = (typeof WIRE_VERSIONS)[number];

export type FrameSet = ReadonlyMap<string, Schema & ObjectNode>;

/** In 0.4 one list of codes served failures and cancellations. */
export const CODES_04 = ["INTERNAL_ERROR", "RATE_LIMIT_ERROR", ...CANCEL_CODES] as const;

const error04 = object(
  {
    error: object({ code: oneOf(CODES_04) }),
    is_final: optional(boolean({ says: "An addition; a client of 0.4 ends at any `error`." })),
  },
  { says: "A failure or a cancellation. A client of 0.4 takes it for the end." },
) as Schema & ObjectNode;

function payload04(type: string, payload: ObjectNode): ObjectNode {
  if (type === "error") return error04;
  if (type === "text") return { ...payload, fields: { type: literal("chunk"), ...payload.fields } };
  return payload;
}

/** `status` came with 0.5. `cancelled` was listed in 0.4 but its frames were folded into `error`. */
const ABSENT_04: ReadonlySet<string> = new Set(["status"]);

function buildFrameSet(version: WireVersion): FrameSet {
  const set = new Map<string, Schema & ObjectNode>();
  for (const [type, { payload }] of Object.entries(FRAMES)) {
    if (version === "0.4" && ABSENT_04.has(type)) continue;
    set.set(type, frameSchemaOf(type, version === "0.4" ? payload04(type, payload) : payload, version));
  }
  return set;
}

export const FRAME_SETS: { readonly [V in WireVersion]: FrameSet } = {
  "0.4": buildFrameSet("0.4"),
  "0.5": buildFrameSet("0.5"),
};
