// What a tool gave, as JSON of our own.
//   J1. The copy shares nothing with the tool's object and reads every property once: what was checked is what is
//       stored, shown and told, whatever the tool does with its object afterwards.
//   J2. `undefined` becomes null where a value must be, and an absent key in an object, as JSON.stringify has it. What
//       JSON.stringify would quietly change (dates, maps, NaN, bigints) is kept as it is, for the check to refuse.
//   J3. The walk ends at its maxima, so a cycle is refused and not followed.

import type { Issue, Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";
import { RESULT_DEPTH_MAX, RESULT_VALUES_MAX } from "./limits.js";

const check = compileCheck({ kind: "json" });

/** A copy (J1) that may still hold what is no JSON. */
export function copyValue(value: unknown): unknown {
  return copyWithin({ values: RESULT_VALUES_MAX }, value === undefined ? null : value, 0);
}

/** Where and why a copy is no JSON, or nothing. */
export function checkJson(copy: unknown): Issue | undefined {
  return check(copy);
}

/** UTF-8 bytes of a value as a frame carries it, where line separators are written as escapes. */
export function countJsonBytes(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, "\\u0000"));
}

function copyWithin(budget: { values: number }, value: unknown, depth: number): unknown {
  budget.values -= 1;
  if (budget.values < 0) throw tooMuch(`more than ${RESULT_VALUES_MAX} values`);
  const list = Array.isArray(value);
  if (!list && !isRecord(value)) return value;
  // One more than the check allows, so that a payload that fits is not refused for the envelope around it.
  if (depth > RESULT_DEPTH_MAX + 1) throw tooMuch(`nesting deeper than ${RESULT_DEPTH_MAX}`);
  if (list) {
    return Array.from(value, (item: unknown) => copyWithin(budget, item === undefined ? null : item, depth + 1));
  }
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (part !== undefined) entries.push([key, copyWithin(budget, part, depth + 1)]);
  }
  // Not by assignment, which would take a key `__proto__` for the prototype and hide it from the check.
  return Object.fromEntries(entries);
}

function tooMuch(what: string): FramerailError {
  return new FramerailError("TOOL_FAILED", `a tool returned ${what}`);
}

/** An object, not an instance of a class: those are passed on whole and refused. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
