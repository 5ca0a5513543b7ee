// The fields a log line may have: the allow-list. What people wrote, what tools were given, tokens, keys and headers have no
// field, so they cannot be written by mistake.
// Owns: the names and kinds, and what is let through. Does not own: lines (logger.ts).
//   F1. A field that is not on the list, or is not of its kind, is left out, and the line says how many were.
//   F2. Texts are names and ids: masked and cut like everything else, since some of them come from callers.

import { FIELD_LENGTH_MAX } from "./limits.js";
import { maskSecrets } from "./mask-secrets.js";

const FIELDS = {
  // Who and what.
  org_id: "text",
  session_id: "text",
  conversation_id: "text",
  turn_id: "text",
  request_id: "text",
  agent_id: "text",
  emitter: "text",
  tool_name: "text",
  tool_call_id: "text",
  model: "text",
  // What happened.
  event_type: "text",
  event_id: "text",
  code: "text",
  outcome: "text",
  reason: "text",
  // Where.
  transport: "text",
  route: "text",
  method: "text",
  driver: "text",
  owner: "text",
  address: "text",
  version: "text",
  // How much.
  status: "number",
  epoch: "number",
  seq: "number",
  attempt: "number",
  count: "number",
  bytes: "number",
  port: "number",
  duration_ms: "number",
} as const satisfies Record<string, "text" | "number">;

type FieldName = keyof typeof FIELDS;
type FieldValue = { readonly text: string; readonly number: number };

export type LogFields = { readonly [F in FieldName]?: FieldValue[(typeof FIELDS)[F]] | undefined };

export function readFields(fields: LogFields): Record<string, string | number> {
  const read: Record<string, string | number> = {};
  let leftOut = 0;
  for (const [name, value] of Object.entries(fields as Readonly<Record<string, unknown>>)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name as FieldName] : undefined;
    if (kind === "text" && typeof value === "string") read[name] = maskSecrets(value, FIELD_LENGTH_MAX);
    else if (kind === "number" && typeof value === "number" && Number.isFinite(value)) read[name] = value;
    else leftOut += 1;
  }
  if (leftOut > 0) read.fields_left_out = leftOut;
  return read;
}
