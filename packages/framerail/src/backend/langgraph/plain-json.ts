// Values of a graph as JSON that an event may hold: what a tool gave back, what a model passed to it. They are for the
// model and for history, never for the wire, so what cannot be carried is left out rather than refused.

import type { Json } from "@framerail/protocol";
import { parseJson, splitText } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";

// JSON escapes can spell half of a surrogate pair, which no event may hold.
const checkJson = compileCheck({ kind: "json" });

/** The value as JSON would carry it; null where it cannot be carried. */
export function toJson(value: unknown): Json {
  if (typeof value === "string") return wellFormed(value);
  try {
    return readText(JSON.stringify(value)) ?? null;
  } catch {
    // Cyclic, or nothing that JSON has a word for.
    return null;
  }
}

/** The arguments of a call, or their text where the model wrote no JSON: what a model said is kept for history. */
export function readArguments(text: string): Json {
  return text.trim() === "" ? {} : (readText(text) ?? wellFormed(text));
}

function readText(text: string): Json | undefined {
  try {
    const value = parseJson(text);
    return checkJson(value) === undefined ? value : undefined;
  } catch {
    // Not JSON, or nested too deep: callers have something else to keep.
    return undefined;
  }
}

function wellFormed(text: string): string {
  return splitText(text).join("");
}
