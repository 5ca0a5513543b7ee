// Reads an event that comes from outside the process: an upstream service, a worker, a recorded journal.

import type { Issue } from "../error.js";
import { refuse } from "../error.js";
import type { Check } from "../schema/check.js";
import { compileCheck } from "../schema/check.js";
import { isWellFormed } from "../schema/text.js";
import { ALIASES } from "./alias.js";
import type { AgentEvent } from "./vocabulary.js";
import { EVENTS } from "./vocabulary.js";

const CHECKS: ReadonlyMap<string, Check> = new Map(
  Object.entries(EVENTS).map(([type, schema]) => [type, compileCheck(schema)]),
);

/** The first rule that an event of a known type breaks; an unknown type breaks none. */
export function checkEvent(event: { readonly type: string }): Issue | undefined {
  return isUsualText(event) ? undefined : CHECKS.get(event.type)?.(event);
}

// The event of every token, without the table: true only where its check would find nothing. Whatever is not usual gets
// the check that can say what is wrong.
function isUsualText(event: { readonly type: string; readonly content?: unknown }): boolean {
  const { type, content } = event;
  if ((type !== "text" && type !== "reasoning") || typeof content !== "string") return false;
  // biome-ignore lint/suspicious/noProto: a copy of isOrdinary: this read meets one shape and stays fast.
  return (event as { __proto__?: unknown }).__proto__ === Object.prototype && isWellFormed(content);
}

/** The value as one of our events, translated where its speaker has another name for it; else INVALID_EVENT. */
export function readEvent(value: unknown, now: number): AgentEvent {
  const event = translate(value, now);
  const type = typeof event === "object" && event !== null ? (event as { type?: unknown }).type : undefined;
  const check = typeof type === "string" ? CHECKS.get(type) : undefined;
  if (check === undefined) {
    const rule = typeof type === "string" ? "one_of" : "required";
    const message = "type must be the name of an event";
    throw refuse("INVALID_EVENT", "event", { path: "type", rule, message });
  }
  const broken = check(event);
  if (broken) throw refuse("INVALID_EVENT", `${String(type)} event`, broken);
  return event as AgentEvent;
}

function translate(value: unknown, now: number): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { type } = value as { type?: unknown };
  const isAlias = typeof type === "string" && Object.hasOwn(ALIASES, type);
  return isAlias ? ALIASES[type]?.(value as Record<string, unknown>, now) : value;
}
