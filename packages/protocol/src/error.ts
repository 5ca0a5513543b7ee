// The one error class of Framerail, with a closed list of codes. Expected ends of a turn are outcomes, not errors
// (lifecycle/outcome.ts); what is thrown is a FramerailError or a bug.
// Owns: the codes of every package, so that there is one list, and their advice on retrying. Does not own: how an edge
// shows them (each edge has its own table), the sentences that explain them (explain-code.ts), and the wire's `error.code`
// (frame/failure.ts), which clients see.

/** What a caller may do about it. `never`: the same call fails again. */
export type RetryAdvice = "never" | "same_call" | "from_start";

const CODES = {
  INVALID_FRAME: "never",
  INVALID_EVENT: "never",
  INVALID_MESSAGE: "never",
  INVALID_ENVELOPE: "never",
  INVALID_ITEM: "never",
  INVALID_ARGUMENT: "never",
  FRAME_TOO_LARGE: "never",
  INPUT_TOO_LARGE: "never",
  MALFORMED_JSON: "never",
  MALFORMED_FIELD: "never",
  STREAM_TRUNCATED: "from_start",
  PROTOCOL_VIOLATION: "never",
  INVARIANT_VIOLATION: "never",
  CANCELLED: "same_call",
  NO_TURN: "never",
  INVALID_AGENT: "never",
  INVALID_REGISTRY: "never",
  UNREGISTERED_STATUS: "never",
  INVALID_TOOL_INPUT: "never",
  TOOL_FAILED: "never",
  SUB_AGENT_FAILED: "never",
  MODEL_FAILED: "same_call",
  RATE_LIMITED: "same_call",
  UPSTREAM_FAILED: "same_call",
  DEADLINE_EXCEEDED: "same_call",
  STORE_UNAVAILABLE: "same_call",
  STORE_REFUSED: "never",
  STORE_LOCKED: "same_call",
  COMMIT_UNKNOWN: "never",
  LOG_UNAVAILABLE: "same_call",
  DRAINING: "same_call",
  STALE_EPOCH: "never",
  NOT_FOUND: "never",
  UNAUTHENTICATED: "never",
  FORBIDDEN: "never",
  CURSOR_EXPIRED: "from_start",
  TURN_RUNNING: "same_call",
  KEY_REUSED: "never",
  SESSION_CLOSED: "never",
  CHECKPOINT_DIFFERS: "never",
  CHECKPOINT_UNREADABLE: "never",
  PROVENANCE_INVALID: "never",
  BUDGET_EXHAUSTED: "same_call",
  PACE_EXCEEDED: "never",
} as const satisfies Record<string, RetryAdvice>;

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
    this.retry = options.retry ?? CODES[code];
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

/** Ends an exhaustive `switch`: the compiler refuses a missing case, a wrong value at run time gets a typed error. */
export function unreachable(value: never): never {
  throw new FramerailError("INVARIANT_VIOLATION", `unexpected alternative ${String(value)}`);
}
