// The last message of every pipeline stream: how it ended, whether there is more, and where to go on [L-16, L-19].
// Owns: the payload of `eof`, one shape per reason, and its constructors. Does not own: when a stream ends
// (lifecycle/), or the other messages (message.ts).
//   Z1. The pairing of reason, `has_more` and `error` is in the schema, so no check can forget it [L-21 … L-25].
//   Z2. Both progress objects are always there. A bare eof has no type, no constructor, no way past the check [L-51].
//   Z3. What a client can read as a message is well-formed and at most ENVELOPE_MESSAGE_BYTES_MAX bytes [C-17].

import { refuse } from "../error.js";
import { ENVELOPE_MESSAGE_BYTES_MAX, ID_LENGTH_MAX } from "../limits.js";
import { compileCheck } from "../schema/check.js";
import { truncateMessage } from "../schema/cut-text.js";
import type { Infer, ObjectRule } from "../schema/schema.js";
import {
  absent,
  boolean,
  choice,
  count,
  json,
  literal,
  map,
  object,
  oneOf,
  openSet,
  optional,
  string,
} from "../schema/schema.js";
import { exceedsBytes } from "../schema/text.js";

/** The rule of every `message` that a client may show [C-17]. */
export const messageRule: ObjectRule = {
  path: "message",
  says: `must have at most ${ENVELOPE_MESSAGE_BYTES_MAX} bytes of UTF-8`,
  holds: ({ message }: { readonly message?: string }) =>
    message === undefined || !exceedsBytes(message, ENVELOPE_MESSAGE_BYTES_MAX),
};

/** A text that keeps Z3; what is no text passes, for the check to name. */
export function boundMessage(text: string): string {
  return typeof text === "string" ? truncateMessage(text, ENVELOPE_MESSAGE_BYTES_MAX) : text;
}

export const syncStateSchema = object(
  {
    session_id: optional(
      string({ lengthMin: 1, lengthMax: ID_LENGTH_MAX, says: "The session that holds the checkpoint." }),
    ),
    checkpoint_key: optional(string({ lengthMin: 1, lengthMax: ID_LENGTH_MAX, says: "The checkpoint to go on from." })),
    loop_iteration: optional(count({ says: "The iteration that the checkpoint was taken after." })),
    streams: optional(map(json(), { says: "The data of the latest source_state of each stream, by stream name." })),
    global: optional(json({ says: "The data of the latest source_state that belongs to no single stream." })),
  },
  {
    says:
      "Where a later request goes on. A checkpoint is named, never contained: its bytes stay on the server. " +
      "Every field is optional and more may come.",
  },
);
export type SyncState = Infer<typeof syncStateSchema>;

export const derivedProgressSchema = object(
  {
    status: openSet(["started", "running", "paused", "succeeded", "failed"], {
      others: /^[a-z][a-z0-9_]{0,63}$/,
      says: "Where the work stands, for display.",
    }),
  },
  { says: "What follows from the counts and the stream statuses." },
);

/** The counts that `progress` messages and both progress objects of `eof` share. */
export const progressCounts = {
  records: optional(count({ says: "Records read or written so far." })),
  states: optional(count({ says: "source_state messages so far." })),
  elapsed_ms: optional(count({ says: "Time spent so far." })),
  streams: optional(map(count(), { says: "Records so far, by stream name." })),
};

export const progressPayloadSchema = object(
  { derived: optional(derivedProgressSchema), ...progressCounts },
  { says: "How far the work has come. Every field is optional and more may come." },
);
export type ProgressPayload = Infer<typeof progressPayloadSchema>;

export const EOF_ERROR_CODES = ["protocol_violation", "invariant_violation", "internal_error"] as const;
export type EofErrorCode = (typeof EOF_ERROR_CODES)[number];

const eofErrorSchema = object(
  {
    code: oneOf(EOF_ERROR_CODES),
    message: string({ says: `One sentence for a person, at most ${ENVELOPE_MESSAGE_BYTES_MAX} bytes.` }),
  },
  { rule: messageRule, says: "Why the stream failed." },
);

const noError = absent({ says: "Only an eof with reason error has one." });
const rest = {
  ending_state: optional(syncStateSchema),
  run_progress: progressPayloadSchema,
  request_progress: progressPayloadSchema,
};

export const eofSchema = choice("reason", {
  complete: object(
    { reason: literal("complete"), has_more: literal(false), error: noError, ...rest },
    { says: "Everything was delivered." },
  ),
  state_limit: object(
    { reason: literal("state_limit"), has_more: literal(true), error: noError, ...rest },
    { says: "A pause: the requested number of states was reached." },
  ),
  time_limit: object(
    { reason: literal("time_limit"), has_more: literal(true), error: noError, ...rest },
    { says: "A pause: the requested time was used up." },
  ),
  aborted: object(
    { reason: literal("aborted"), has_more: boolean(), error: noError, ...rest },
    { says: "The client left or cancelled. `has_more` says whether a state was kept to go on from." },
  ),
  error: object(
    { reason: literal("error"), has_more: literal(false), error: eofErrorSchema, ...rest },
    { says: "The stream failed, although its HTTP status is 200." },
  ),
});
export type EofPayload = Infer<typeof eofSchema>;
export type EofReason = EofPayload["reason"];

export const EOF_REASONS = ["complete", "state_limit", "time_limit", "aborted", "error"] as const satisfies EofReason[];

export interface EofMessage {
  readonly type: "eof";
  readonly eof: EofPayload;
}

/** What an eof says beside its reason. The names are the wire's. */
export interface EofDetails {
  readonly ending_state?: SyncState;
  /** Over the whole run, earlier requests included [C-31]. */
  readonly run_progress: ProgressPayload;
  /** Of this request alone [C-31]. */
  readonly request_progress: ProgressPayload;
}

export function completeEof(details: EofDetails): EofMessage {
  return endWith({ reason: "complete", has_more: false }, details);
}

/** A pause. Its state is required: without one there is nothing to go on from. */
export function limitEof(
  reason: "state_limit" | "time_limit",
  details: EofDetails & { readonly ending_state: SyncState },
): EofMessage {
  return endWith({ reason, has_more: true }, details);
}

/** The client left or cancelled; `has_more` says whether a state was kept [L-23]. */
export function abortedEof(details: EofDetails): EofMessage {
  return endWith({ reason: "aborted", has_more: details?.ending_state !== undefined }, details);
}

const NOTHING_KNOWN: EofDetails = { ending_state: {}, run_progress: {}, request_progress: {} };

/** A failure. Whoever finds it may know nothing of the work, so the details default to empty objects [L-33, L-39]. */
export function errorEof(code: EofErrorCode, message: string, details: EofDetails = NOTHING_KNOWN): EofMessage {
  return endWith({ reason: "error", has_more: false, error: { code, message: boundMessage(message) } }, details);
}

const check = compileCheck(eofSchema);

function endWith(start: object, details: EofDetails): EofMessage {
  // Nothing spreads to nothing, so the check below names the missing field instead of a TypeError.
  const { ending_state, run_progress, request_progress }: Partial<EofDetails> = { ...details };
  const state = ending_state === undefined ? {} : { ending_state };
  const eof = { ...start, ...state, run_progress, request_progress };
  const issue = check(eof);
  if (issue) throw refuse("INVALID_MESSAGE", "the eof cannot be built", issue);
  return { type: "eof", eof: eof as EofPayload };
}
