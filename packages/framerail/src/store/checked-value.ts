// Values that must come back from the database as they went in: ids, names, states, times. Postgres keeps neither U+0000
// nor half a surrogate pair, and refuses an id that is no UUID; a driver says so in words of its own, or says nothing
// and changes the text, so that two names become one.
// Owns: the typed refusals, before anything is asked. Does not own: text that people and models read, in which such a
// character is replaced instead (json.ts).

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";
import { toJsonb } from "./json.js";
import { isUuid } from "./uuid.js";

/** Names, ids of users and agents, notes. */
export const TEXT_LENGTH_MAX = 4_096;
/** What one document of JSON may weigh as text; far below what the database can hold in one value. */
export const JSON_BYTES_MAX = 67_108_864;
/** The largest integer of a column of that type. */
export const INTEGER_MAX = 2_147_483_647;
/** The end of the year 9999: later times have a text form that is not read back. */
export const TIME_MS_MAX = 253_402_300_799_999;

const checkText = compileCheck({ kind: "string", lengthMax: TEXT_LENGTH_MAX });
const checkJson = compileCheck({ kind: "json" });

export function requireUuid(name: string, value: string): string {
  if (!isUuid(value)) throw invalid(name, "must be a UUID");
  return value;
}

export function requireText(name: string, value: string): string {
  const issue = checkText(value);
  if (issue) throw invalid(name, issue.message);
  if (value.includes("\0")) throw invalid(name, "must not hold U+0000");
  return value;
}

export function requireTextOrNull(name: string, value: string | undefined): string | null {
  return value === undefined ? null : requireText(name, value);
}

export function requireCount(name: string, value: number): number {
  const isCount = Number.isSafeInteger(value) && value >= 0 && value <= INTEGER_MAX;
  if (!isCount) throw invalid(name, `must be a whole number from 0 to ${INTEGER_MAX}`);
  return value;
}

export function requireTime(name: string, epochMs: number): Date {
  const isTime = Number.isSafeInteger(epochMs) && epochMs >= 0 && epochMs <= TIME_MS_MAX;
  if (!isTime) throw invalid(name, `must be a time in milliseconds, from 0 to ${TIME_MS_MAX}`);
  return new Date(epochMs);
}

export function toExactJson(name: string, value: Json): string {
  const issue = checkJson(value);
  if (issue) throw invalid(name, issue.message);
  const text = JSON.stringify(value);
  if (toJsonb(value) !== text) throw invalid(name, "must not hold U+0000");
  return requireSize(name, text);
}

/** JSON as text, unless it is larger than anything that is kept. */
export function requireSize(name: string, json: string): string {
  if (Buffer.byteLength(json) <= JSON_BYTES_MAX) return json;
  throw new FramerailError("INPUT_TOO_LARGE", `${name} is larger than ${JSON_BYTES_MAX} bytes`);
}

function invalid(name: string, rule: string): FramerailError {
  return new FramerailError("INVALID_ARGUMENT", `${name} ${rule}`, {
    issue: { path: name, rule: "storable", message: `${name} ${rule}` },
  });
}

/** The one answer for what is not there, is another tenant's, or is another user's: they must not differ. */
export function notFound(what: string): FramerailError {
  return new FramerailError("NOT_FOUND", `there is no such ${what}`);
}
