// What a client may learn of a failure: a code from a closed list and, for three of the codes, who failed. There is no
// field for prose, an exception, a host or a path, so none can leak [W-FR-7, W-ERR-8].
// Owns: the wire's error union. Does not own: when a failure ends the turn (lifecycle/turn-spec.ts), nor the codes our
// own functions throw (error.ts).

import { NAME_LENGTH_MAX } from "../limits.js";
import type { Infer } from "../schema/schema.js";
import { array, choice, literal, object, oneOf, openSet, string } from "../schema/schema.js";

/** Letters, digits and `. _ - : /`: enough for every id in use, too little for a sentence or a stack. */
export const PUBLIC_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;

const subAgentId = string({ pattern: PUBLIC_NAME, lengthMax: NAME_LENGTH_MAX, says: "The sub-agent that failed." });
const enricherId = string({
  pattern: PUBLIC_NAME,
  lengthMax: NAME_LENGTH_MAX,
  says: "The enrichment tool that failed.",
});

export const ENVELOPE_FAILURE_REASONS = [
  "upstream_unavailable",
  "upstream_timeout",
  "upstream_partial",
  "unauthorized",
  "invalid_request",
] as const;

const reason = openSet(ENVELOPE_FAILURE_REASONS, {
  others: /^[a-z][a-z0-9_]{0,63}$/,
  says: "Why, in the enrichment backend's own vocabulary; a value added there needs no new wire version.",
});

const subAgentFailure = object(
  { code: literal("SUB_AGENT_FAILED"), sub_agent_id: subAgentId },
  { says: "A sub-agent failed as a whole: an exception or a model timeout (axis 1)." },
);
const envelopeFailure = object(
  { code: literal("CCS_ENVELOPE_ERROR"), enricher_id: enricherId, reason },
  { says: "A tool returned an envelope with status `error` (axis 2)." },
);
const internalFailure = object(
  { code: literal("INTERNAL_ERROR") },
  { says: "Anything unclassified, and every violation of this protocol." },
);
const rateLimitFailure = object(
  { code: literal("RATE_LIMIT_ERROR") },
  { says: "The model's rate limit, ours or the provider's." },
);
const partialFanOut = object(
  {
    code: literal("PARTIAL_FAN_OUT"),
    failed: array(choice("code", { SUB_AGENT_FAILED: subAgentFailure, CCS_ENVELOPE_ERROR: envelopeFailure }), {
      countMin: 1,
      says: "One record per failed sub-agent.",
    }),
  },
  { says: "Some sub-agents of a fan-out failed, others did not (axis 3)." },
);

export const failureSchema = choice("code", {
  INTERNAL_ERROR: internalFailure,
  RATE_LIMIT_ERROR: rateLimitFailure,
  SUB_AGENT_FAILED: subAgentFailure,
  CCS_ENVELOPE_ERROR: envelopeFailure,
  PARTIAL_FAN_OUT: partialFanOut,
});

/** Failures that a turn survives: it goes on and ends with `completed` [W-ERR-9]. */
export const partFailureSchema = /* @__PURE__ */ choice("code", {
  SUB_AGENT_FAILED: subAgentFailure,
  CCS_ENVELOPE_ERROR: envelopeFailure,
  PARTIAL_FAN_OUT: partialFanOut,
});

export const CANCEL_CODES = ["IDLE_TIMEOUT", "REQUEST_CANCELLED"] as const;

export const cancellationSchema = object({
  code: oneOf(CANCEL_CODES, { says: "Who stopped the turn: the platform for silence, or the client." }),
});

export type Failure = Infer<typeof failureSchema>;
export type PartFailure = Infer<typeof partFailureSchema>;
export type FailureCode = Failure["code"];
export type CancelCode = (typeof CANCEL_CODES)[number];
