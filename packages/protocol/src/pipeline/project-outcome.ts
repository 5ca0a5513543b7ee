// A turn's outcome as the eof of an NDJSON pipeline: the fourth column of the outcome table [C-B, C-C].

import { unreachable } from "../error.js";
import type { FailureCause, TurnOutcome } from "../lifecycle/outcome.js";
import type { EofDetails, EofErrorCode, EofMessage, SyncState } from "./eof.js";
import { abortedEof, completeEof, errorEof, limitEof } from "./eof.js";

const CODES: { readonly [C in FailureCause]: EofErrorCode } = {
  application: "internal_error",
  deadline: "internal_error",
  protocol_violation: "protocol_violation",
  invariant_violation: "invariant_violation",
};

const SENTENCES: { readonly [C in FailureCause]: string } = {
  application: "the turn failed",
  deadline: "the turn ran out of time",
  protocol_violation: "the turn broke the order of its frames",
  invariant_violation: "the turn broke a rule of its own",
};

/** `details` tells where a later request goes on; a pause without a state goes on from an empty one. */
export function eofOfOutcome(outcome: TurnOutcome, details: EofDetails): EofMessage {
  switch (outcome.kind) {
    case "completed":
      return completeEof(details);
    case "paused":
      return limitEof(outcome.limit, { ...details, ending_state: details.ending_state ?? NO_STATE });
    case "failed":
      return errorEof(CODES[outcome.cause], SENTENCES[outcome.cause], details);
    case "cancelled":
      return abortedEof(details);
    default:
      return unreachable(outcome);
  }
}

const NO_STATE: SyncState = {};
