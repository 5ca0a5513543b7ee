// Reads a frame as a client must: strict in what it knows, indifferent to what it does not. Unknown fields are kept and
// ignored, an unknown type is an answer of its own and never an error [W-FR-12, W-AC-7].

import { refuse } from "../error.js";
import type { Check } from "../schema/check.js";
import { compileCheck } from "../schema/check.js";
import type { FrameSet, WireVersion } from "./frame-set.js";
import { FRAME_SETS } from "./frame-set.js";
import type { Frame } from "./vocabulary.js";

export type FrameReading =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "unknown"; readonly event_type: string };

const CHECKS: { readonly [V in WireVersion]: ReadonlyMap<string, Check> } = {
  "0.4": compileSet(FRAME_SETS["0.4"]),
  "0.5": compileSet(FRAME_SETS["0.5"]),
};

function compileSet(set: FrameSet): ReadonlyMap<string, Check> {
  return new Map([...set].map(([type, schema]) => [type, compileCheck(schema)]));
}

/** Reads a parsed frame of 0.5. Throws INVALID_FRAME for a value that claims a known type and is not one. */
export function readFrame(value: unknown): FrameReading {
  return readVersion(value, "0.5") as FrameReading;
}

/** Reads a parsed frame of 0.4; its `text` has a `type`, its `error` may lack `is_final`. */
export function readFrame04(
  value: unknown,
): { kind: "frame"; frame: object } | { kind: "unknown"; event_type: string } {
  return readVersion(value, "0.4");
}

function readVersion(value: unknown, version: WireVersion) {
  const type: unknown =
    typeof value === "object" && value !== null ? (value as { event_type?: unknown }).event_type : undefined;
  if (typeof type !== "string") {
    const message = "event_type must be a string";
    throw refuse("INVALID_FRAME", "frame", { path: "event_type", rule: "required", message });
  }
  const check = CHECKS[version].get(type);
  if (check === undefined) return { kind: "unknown", event_type: type } as const;
  const broken = check(value);
  if (broken) throw refuse("INVALID_FRAME", `${type} frame`, broken);
  return { kind: "frame", frame: value as object } as const;
}
