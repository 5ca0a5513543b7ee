// What each error code means, in a sentence; the reference documentation prints it. Apart from error.ts, because a browser
// that throws an error needs its code and not the sentence.

import type { ErrorCode } from "./error.js";

const SENTENCES: Readonly<Record<ErrorCode, string>> = {
  INVALID_FRAME: "a value is not a frame of the wire contract",
  INVALID_EVENT: "a value is not an event of the inner vocabulary",
  INVALID_MESSAGE: "a value is not a pipeline message",
  INVALID_ENVELOPE: "a value is not a universal agent event",
  INVALID_ITEM: "a value is not a content item or an assistant message",
  INVALID_ARGUMENT: "an option, an argument or a field is not what it must be",
  FRAME_TOO_LARGE: "an encoded frame is over its maximum",
  INPUT_TOO_LARGE: "a decoder holds more bytes than its maximum for one event or line",
  MALFORMED_JSON: "a line or data field is not JSON",
  MALFORMED_FIELD: "an SSE field holds a character that would break the stream",
  STREAM_TRUNCATED: "a stream ended in the middle of an event or line",
  PROTOCOL_VIOLATION: "a message came out of the order its route allows",
  INVARIANT_VIOLATION: "a rule our own code must keep was broken",
  CANCELLED: "the work was cancelled by its caller",
  NO_TURN: "the ambient writer was asked for outside a turn",
  INVALID_AGENT: "an agent, sub-agent or tool is not defined as it must be",
  INVALID_REGISTRY: "the status catalogue or a locale file has errors",
  UNREGISTERED_STATUS: "a status id is unknown, deprecated or not the emitter's own",
  INVALID_TOOL_INPUT: "the model called a tool with arguments its schema refuses",
  TOOL_FAILED: "a tool threw or ran out of time",
  SUB_AGENT_FAILED: "a sub-agent failed as a whole",
  MODEL_FAILED: "the model's provider failed or answered with nonsense",
  RATE_LIMITED: "too much was asked in too short a time, of us or of a model's provider",
  UPSTREAM_FAILED: "an upstream agent service failed, broke off or spoke nonsense",
  DEADLINE_EXCEEDED: "the work took longer than it may",
  STORE_UNAVAILABLE: "the database cannot be reached, or too many wait for it",
  STORE_REFUSED: "the database's schema, role or folder is not one this program can use",
  STORE_LOCKED: "another process has the data folder open",
  COMMIT_UNKNOWN: "the connection broke during a commit, so its effect is not known",
  LOG_UNAVAILABLE: "the turn log cannot be written",
  DRAINING: "this process is stopping; another one will answer",
  STALE_EPOCH: "another process has taken the turn over",
  UNAUTHENTICATED: "the caller's credentials are missing, wrong or out of date",
  FORBIDDEN: "the caller may not do this",
  CURSOR_EXPIRED: "the cursor points where the turn has no frame, or none any more",
  NOT_FOUND: "there is no such thing, or not for this caller",
  TURN_RUNNING: "the session has a turn that has not ended",
  KEY_REUSED: "an idempotency key came again with another request",
  SESSION_CLOSED: "the session takes no further messages in its present state",
  CHECKPOINT_DIFFERS: "a checkpoint of the same iteration holds other bytes",
  CHECKPOINT_UNREADABLE: "a checkpoint is damaged or of another format version",
  PROVENANCE_INVALID: "an action does not descend from the message it claims",
  BUDGET_EXHAUSTED: "the budget has nothing left for this period",
  PACE_EXCEEDED: "a writer went on far past the point where it had to wait",
};

export function explainCode(code: ErrorCode): string {
  return SENTENCES[code];
}
