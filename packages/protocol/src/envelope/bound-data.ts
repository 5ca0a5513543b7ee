// The `data` of an event or a completion, measured and copied in one walk.
// Owns: the size of JSON and its bound. Does not own: what JSON is (schema/check.ts judges the copy).
//   D1. The copy shares nothing with its source, and every property is read once: what was measured is what is sent,
//       whatever the backend does with its object afterwards [E-34].
//   D2. The walk ends at the bound. A huge value, or a small one that refers to the same part a million times, costs
//       what 64 KiB costs (and the list of its keys); what lies behind the bound is dropped without being looked at.
//   D3. The size is the UTF-8 length of JSON.stringify [E-12]. A Rust peer measures with serde_json, which writes the
//       same numbers differently (1.0, 1e21 and -0.0 where we write 1, 1e+21 and 0), so that the two can disagree by a
//       few bytes per such number. Ours is the length of what we emit, but for the line separators an encoder escapes.

import { refuse } from "../error.js";
import { ENVELOPE_DATA_BYTES_MAX, JSON_DEPTH_MAX } from "../limits.js";
import { replaceLoneSurrogates } from "../schema/cut-text.js";
import type { Json } from "../schema/schema.js";
import { countBytes } from "../schema/text.js";

/** What stands in the place of data over its bound [E-13]. */
export const DROPPED_DATA = Object.freeze({ dropped: Object.freeze({ reason: "oversize" }) }) satisfies Json;

/**
 * A copy (D1) of `source` within the bound, or `DROPPED_DATA`. A value that is no JSON is passed on as it is, for the schema
 * to refuse by name; only nesting is refused here, since a cycle has no end to pass on.
 */
export function boundData(source: unknown): unknown {
  const budget = { bytes: ENVELOPE_DATA_BYTES_MAX };
  const copy = copyWithin(budget, source, 0);
  return budget.bytes < 0 ? DROPPED_DATA : copy;
}

interface Budget {
  /** What is left; below zero the walk is over and its result is not used. */
  bytes: number;
}

function copyWithin(budget: Budget, value: unknown, depth: number): unknown {
  if (typeof value === "string") return copyString(budget, value);
  const list = Array.isArray(value);
  if (!list && !isRecord(value)) {
    // Of what is left, only numbers, booleans and null are JSON; the rest is refused later and its size is no matter.
    budget.bytes -=
      typeof value === "number" && Number.isFinite(value) ? JSON.stringify(value).length : sizeOfWord(value);
    return value;
  }
  if (depth >= JSON_DEPTH_MAX) {
    const message = `data must nest at most ${JSON_DEPTH_MAX} deep`;
    throw refuse("INVALID_ENVELOPE", "the data of an agent event", { path: "data", rule: "depth_max", message });
  }
  return list ? copyArray(budget, value, depth) : copyRecord(budget, value, depth);
}

function copyString(budget: Budget, text: string): string {
  // D2: a text alone over the budget is not worth quoting.
  if (text.length + 2 > budget.bytes) {
    budget.bytes = -1;
    return "";
  }
  const copy = replaceLoneSurrogates(text);
  budget.bytes -= countBytes(JSON.stringify(copy)); // D3
  return copy;
}

function copyArray(budget: Budget, source: readonly unknown[], depth: number): unknown[] {
  const copy: unknown[] = [];
  budget.bytes -= 2;
  for (let index = 0; index < source.length && budget.bytes >= 0; index += 1) {
    if (index > 0) budget.bytes -= 1;
    copy.push(copyWithin(budget, source[index], depth + 1));
  }
  return copy;
}

function copyRecord(budget: Budget, source: Readonly<Record<string, unknown>>, depth: number): object {
  const entries: [string, unknown][] = [];
  budget.bytes -= 2;
  for (const key of Object.keys(source)) {
    if (budget.bytes < 0) break;
    if (entries.length > 0) budget.bytes -= 1;
    const name = copyString(budget, key);
    budget.bytes -= 1;
    entries.push([name, copyWithin(budget, source[key], depth + 1)]);
  }
  // Not by assignment, which would take a key `__proto__` for the prototype and hide it from the check.
  return Object.fromEntries(entries);
}

function sizeOfWord(value: unknown): number {
  return value === false ? 5 : 4;
}

/** An object of this realm or another, not an instance of a class: those are passed on whole and refused. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
