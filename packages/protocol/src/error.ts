// The one error class of Framerail, with a closed list of codes. Expected ends of a turn are outcomes, not errors
// (lifecycle/outcome.ts); what is thrown is a FramerailError or a bug.
// Owns: the codes of every package, so that there is one list, and their advice on retrying. Does not own: how an edge
// shows them (each edge has its own table), and the wire's `error.code` (frame/failure.ts), which clients see.

/** What a caller may do about it. `never`: the same call fails again. */
export type RetryAdvice = "never" | "same_call" | "from_start";

const CODES = {
  INVALID_FRAME: { retry: "never", says: "a value is not a frame of the wire contract" },
  INVALID_EVENT: { retry: "never", says: "a value is not an event of the inner vocabulary" },
  INVALID_MESSAGE: { retry: "never", says: "a value is not a pipeline message" },
  INVALID_ENVELOPE: { retry: "never", says: "a value is not a universal agent event" },
  INVALID_ITEM: { retry: "never", says: "a value is not a content item or an assistant message" },
  INVALID_ARGUMENT: { retry: "never", says: "an option or argument is out of its range" },
  FRAME_TOO_LARGE: { retry: "never", says: "an encoded frame is over its maximum" },
  INPUT_TOO_LARGE: { retry: "never", says: "a decoder holds more bytes than its maximum for one event or line" },
  MALFORMED_JSON: { retry: "never", says: "a line or data field is not JSON" },
  MALFORMED_FIELD: { retry: "never", says: "an SSE field holds a character that would break the stream" },
  STREAM_TRUNCATED: { retry: "from_start", says: "a stream ended in the middle of an event or line" },
  PROTOCOL_VIOLATION: { retry: "never", says: "a message came out of the order its route allows" },
  INVARIANT_VIOLATION: { retry: "never", says: "a rule our own code must keep was broken" },
  CANCELLED: { retry: "same_call", says: "the work was cancelled by its caller" },
  NO_TURN: { retry: "never", says: "the ambient writer was asked for outside a turn" },
  INVALID_AGENT: { retry: "never", says: "an agent, sub-agent or tool is not defined as it must be" },
  INVALID_REGISTRY: { retry: "never", says: "the status catalogue or a locale file has errors" },
  UNREGISTERED_STATUS: { retry: "never", says: "a status id is unknown, deprecated or not the emitter's own" },
  INVALID_TOOL_INPUT: { retry: "never", says: "the model called a tool with arguments its schema refuses" },
  TOOL_FAILED: { retry: "never", says: "a tool threw or ran out of time" },
  SUB_AGENT_FAILED: { retry: "never", says: "a sub-agent failed as a whole" },
  MODEL_FAILED: { retry: "same_call", says: "the model's provider failed or answered with nonsense" },
  RATE_LIMITED: { retry: "same_call", says: "the model's provider refused for its rate limit" },
  UPSTREAM_FAILED: { retry: "same_call", says: "an upstream agent service failed, broke off or spoke nonsense" },
  DEADLINE_EXCEEDED: { retry: "same_call", says: "the work took longer than it may" },
  PACE_EXCEEDED: { retry: "never", says: "a writer went on far past the point where it had to wait" },
} as const satisfies Record<string, { retry: RetryAdvice; says: string }>;

export type ErrorCode = keyof typeof CODES;

export const ERROR_CODES = Object.keys(CODES) as ErrorCode[];

/** One field that broke one rule. `path` is dotted from the root; the root itself is "". */
export interface Issue {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

export interface FramerailErrorOptions {
  readonly cause?: unknown;
  readonly retry?: RetryAdvice;
  readonly issue?: Issue;
}

// Two copies of this package in one process must recognise each other's errors, so identity is a registered symbol.
const MARK = Symbol.for("framerail.error");

export class FramerailError extends Error {
  override readonly name = "FramerailError";
  readonly code: ErrorCode;
  readonly retry: RetryAdvice;
  /** The field and the rule, where a value was refused. */
  readonly issue: Issue | undefined;
  readonly [MARK] = true;

  constructor(code: ErrorCode, message: string, options: FramerailErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? CODES[code].retry;
    this.issue = options.issue;
  }
}

export function isFramerailError(value: unknown): value is FramerailError {
  return typeof value === "object" && value !== null && MARK in value;
}

/** The error for a value that broke `issue`, naming the field and the rule. */
export function refuse(code: ErrorCode, what: string, issue: Issue): FramerailError {
  return new FramerailError(code, `${what}: ${issue.message}`, { issue });
}

/** The sentence that explains a code; the reference documentation prints it. */
export function explainCode(code: ErrorCode): string {
  return CODES[code].says;
}

/** Ends an exhaustive `switch`: the compiler refuses a missing case, a wrong value at run time gets a typed error. */
export function unreachable(value: never): never {
  throw new FramerailError("INVARIANT_VIOLATION", `unexpected alternative ${String(value)}`);
}
