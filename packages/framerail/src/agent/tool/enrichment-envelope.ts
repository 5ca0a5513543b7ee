// The envelope in which enrichment backends wrap what they return, and the one place that opens it. Only `payload` goes
// on; of the rest a client may learn two words, and only of a failure: who and why [W-FR-10, W-ERR-4].
// Owns: what an envelope is, whether its data may be used. Does not own: showing data (render-tool.ts), telling failures.
//   E1. What looks like an envelope and is none is refused, never passed on as plain data [W-R-5].
//   E2. Data made for another tenant or user is refused whatever its status says [W-ENV-2].
//   E3. The version is judged by its major part alone; a newer minor one may add fields, which are not read [W-ENV-5].
//       Majors 1 and 2 have the fields below; another major is refused as `invalid_request`, since its fields may mean
//       something else.
//   E4. A reason is a word: a known one, another of the same form, or `upstream_unavailable` in its place [W-ERR-7].

import type { Json, PartFailure } from "@framerail/protocol";
import { checkEvent, FramerailError } from "@framerail/protocol";
import type { Schema } from "@framerail/protocol/schema";
import { compileCheck } from "@framerail/protocol/schema";
import type { Principal } from "../principal.js";
import { publicName } from "../public-name.js";
import { checkJson, isRecord } from "./json-value.js";

/** What a backend returns [W-ENV-1]. */
export interface EnrichmentEnvelope<T = Json> {
  readonly enricher_id: string;
  readonly domain_type: string;
  readonly principal: Principal;
  readonly version: string | number;
  readonly status: "ok" | "partial" | "error";
  /** What is missing, for operators of the backend; the reason of an error is read from its first record. */
  readonly partial: readonly { readonly reason?: string; readonly source?: string }[];
  readonly cache_meta?: unknown;
  readonly timing?: unknown;
  readonly payload: T;
}

export type Opened =
  | {
      readonly kind: "data";
      readonly payload: Json;
      /** Not all of it is there. */
      readonly partial: boolean;
      /** From which backend, for the shape of its items; nothing of it goes further. */
      readonly source?: { readonly domain_type: string; readonly enricher_id: string };
      /** Of a list of envelopes, those that gave nothing. */
      readonly missing?: readonly Refused[];
    }
  | Refused;

export interface Refused {
  readonly kind: "refused";
  readonly why: "not_json" | "not_available";
  /** What a client may learn. */
  readonly failure?: PartFailure;
  /** What operators learn; its cause names the enricher and the reason as the backend did [W-ERR-11]. */
  readonly error: FramerailError;
}

const MAJORS: ReadonlySet<number> = new Set([1, 2]);
const VERSION = /^(\d{1,4})(?:\.\d{1,6}){0,2}$/;
const REASON_INSTEAD = "upstream_unavailable";

const name = { kind: "string", lengthMin: 1, lengthMax: 256 } as const;
const checkEnvelope = compileCheck({
  kind: "object",
  fields: {
    enricher_id: name,
    domain_type: name,
    principal: { kind: "object", fields: { tenant_id: name, user_id: name } },
    status: { kind: "one_of", values: ["ok", "partial", "error"] },
    partial: { optional: true, schema: { kind: "array", items: { kind: "map", values: { kind: "json" } } } },
  },
} satisfies Schema);

/** Keys that plain data hardly has: the first alone, or two of the others, make a value an envelope (E1). */
const SURE_KEY = "enricher_id";
const LIKELY_KEYS = ["domain_type", "principal", "cache_meta", "partial"];

export function isEnvelope(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  return Object.hasOwn(value, SURE_KEY) || LIKELY_KEYS.filter((key) => Object.hasOwn(value, key)).length >= 2;
}

/** A tool's value, unwrapped: an envelope, a list that holds envelopes, or plain data. Expects a copy (json-value.ts). */
export function openResult(value: unknown, principal: Principal): Opened {
  if (isEnvelope(value)) return openEnvelope(value, principal);
  if (Array.isArray(value) && value.some(isEnvelope)) return openList(value, principal);
  return openPlain(value);
}

function openPlain(payload: unknown): Opened {
  const issue = checkJson(payload);
  if (issue) {
    const error = new FramerailError("TOOL_FAILED", `a tool returned what is not JSON: value ${issue.message}`, {
      issue,
    });
    return { kind: "refused", why: "not_json", error };
  }
  return { kind: "data", payload: payload as Json, partial: false };
}

/** Each envelope gives its payload in its place; what is refused is missing. */
function openList(values: readonly unknown[], principal: Principal): Opened {
  const opened = values.map((value) => openResult(value, principal));
  const data = opened.filter((one) => one.kind === "data");
  const missing = opened.flatMap((one) => (one.kind === "refused" ? [one] : (one.missing ?? [])));
  if (data.length === 0 && missing[0] !== undefined) return missing[0];
  const source = data.find((one) => one.source !== undefined)?.source;
  return {
    kind: "data",
    payload: data.map(({ payload }) => payload),
    partial: missing.length > 0 || data.some(({ partial }) => partial),
    ...(source && { source }),
    ...(missing.length > 0 && { missing }),
  };
}

function openEnvelope(value: Readonly<Record<string, unknown>>, principal: Principal): Opened {
  const fail = (reason: string, says: string) =>
    refuse(says, failureOf(value.enricher_id, reason), { enricher_id: value.enricher_id, reason });
  const major = majorOf(value.version);
  if (major !== undefined && !MAJORS.has(major)) return fail("invalid_request", "an envelope has an unknown version"); // E3
  const issue = checkEnvelope(value);
  if (issue) return refuse(`an envelope is malformed: ${issue.message}`);
  if (major === undefined) return refuse("an envelope is malformed: version must be like 1 or 1.0");
  const envelope = value as unknown as EnrichmentEnvelope<unknown>;
  const { enricher_id, domain_type, status, partial = [] } = envelope;
  if (!isSame(envelope.principal, principal)) return fail("unauthorized", "an envelope is for another principal"); // E2
  if (status === "error") return fail(reasonOf(value), "an enrichment backend failed");
  const broken = checkJson(envelope.payload);
  if (broken) return refuse(`an envelope is malformed: payload ${broken.message}`);
  return {
    kind: "data",
    payload: envelope.payload as Json,
    partial: status === "partial" || partial.length > 0,
    source: { domain_type, enricher_id },
  };
}

function isSame(one: Principal, other: Principal): boolean {
  return one.tenant_id === other.tenant_id && one.user_id === other.user_id;
}

function majorOf(version: unknown): number | undefined {
  if (typeof version === "number") return Number.isSafeInteger(version) ? version : undefined;
  const major = typeof version === "string" ? VERSION.exec(version)?.[1] : undefined;
  return major === undefined ? undefined : Number(major);
}

/** Backends put it beside the status or into the first record of what is missing. */
function reasonOf({ reason, partial }: Readonly<Record<string, unknown>>): string {
  const first: unknown = Array.isArray(partial) ? partial[0] : undefined;
  const found = reason ?? (isRecord(first) ? first.reason : undefined);
  return typeof found === "string" ? found : REASON_INSTEAD;
}

// The wire's own schema judges both words, so a failure that is made here can always be told (E4).
function failureOf(enricher_id: unknown, reason: string): PartFailure | undefined {
  if (typeof enricher_id !== "string") return undefined;
  for (const word of [reason, REASON_INSTEAD]) {
    const error = { code: "CCS_ENVELOPE_ERROR", enricher_id: publicName(enricher_id), reason: word };
    const event = { type: "part_failed", error };
    if (checkEvent(event) === undefined) return error as PartFailure;
  }
  return undefined;
}

function refuse(says: string, failure?: PartFailure, cause?: object): Refused {
  const error = new FramerailError("TOOL_FAILED", says, cause && { cause });
  return { kind: "refused", why: "not_available", error, ...(failure && { failure }) };
}
