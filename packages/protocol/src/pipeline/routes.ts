// The seven NDJSON routes as specs for the lifecycle engine [L-10 … L-14, L-49, L-55]. One table; no route has order
// rules of its own anywhere else [L-4].
//   N1. Every route ends with exactly one eof [I-8]. A failed check is followed by it at once; `failedCheckEnds: "itself"`
//       keeps the older form, in which the failed status is the end.
//   N2. No text of an exception reaches the reader: a thrown error becomes a fixed sentence, the operator gets the rest [C-17].
//   N3. A producer that ends without an eof has completed on the routes whose work is one answer (check, discover, setup,
//       teardown). On the routes that carry state (read, write, sync) nobody can tell what was left: a violation [L-60].
//   N4. No end fails for its details: where what is known of the work is not to be had, the eof says nothing of it.

import { isFramerailError } from "../error.js";
import type { StreamProtocolSpec } from "../lifecycle/spec.js";
import type { EofDetails, EofErrorCode } from "./eof.js";
import { abortedEof, completeEof, errorEof } from "./eof.js";
import type { PipelineMessage, PipelineMessageType } from "./message.js";

/** A message type, or a type that counts only in one state of its payload. */
type Entry = PipelineMessageType | "stream_status(start)";

interface RouteTable {
  readonly prelude: readonly Entry[];
  readonly streaming: readonly Entry[];
  readonly silentEnd: "complete" | "violation";
}

export const ROUTES = {
  pipeline_check: { prelude: ["log", "connection_status"], streaming: [], silentEnd: "complete" },
  source_discover: { prelude: ["log", "catalog"], streaming: [], silentEnd: "complete" },
  pipeline_read: {
    prelude: ["log", "catalog", "stream_status(start)"],
    streaming: ["record", "source_state", "stream_status", "progress", "log", "error"],
    silentEnd: "violation",
  },
  pipeline_write: {
    prelude: ["log"],
    streaming: ["source_state", "progress", "log", "error"],
    silentEnd: "violation",
  },
  pipeline_sync: {
    prelude: ["log", "catalog", "stream_status(start)", "progress"],
    streaming: ["source_state", "stream_status", "progress", "control", "log", "error"],
    silentEnd: "violation",
  },
  pipeline_setup: { prelude: ["log", "control"], streaming: [], silentEnd: "complete" },
  pipeline_teardown: { prelude: ["log", "control"], streaming: [], silentEnd: "complete" },
} as const satisfies Record<string, RouteTable>;

export type PipelineRoute = keyof typeof ROUTES;
export const PIPELINE_ROUTES = Object.keys(ROUTES) as PipelineRoute[];

export interface RouteOptions {
  /** What is known of the work when the engine has to end the stream itself. Default: nothing. */
  readonly details?: () => EofDetails;
  readonly failedCheckEnds?: "with_eof" | "itself";
}

const NOTHING_KNOWN: EofDetails = { run_progress: {}, request_progress: {} };

export function createRouteSpec(route: PipelineRoute, options: RouteOptions = {}): StreamProtocolSpec<PipelineMessage> {
  const table: RouteTable = ROUTES[route];
  const failedIsTerminal = options.failedCheckEnds === "itself";
  const fail = (code: EofErrorCode, message: string) =>
    endWith(options.details, (details) => errorEof(code, message, details));
  const complete = () => endWith(options.details, (details = NOTHING_KNOWN) => completeEof(details));
  return {
    route,
    allow_in_prelude: (message) => holds(table.prelude, message),
    allow_in_streaming: (message) => holds(table.streaming, message),
    is_terminal: (message) => message.type === "eof" || (failedIsTerminal && isFailedCheck(message)),
    on_violation: ({ message }) => fail("protocol_violation", message),
    on_thrown_error: (error) => fail(codeOf(error), SENTENCES[codeOf(error)]),
    on_silent_end: ({ message }) => (table.silentEnd === "complete" ? complete() : fail("protocol_violation", message)),
    on_abort: () => endWith(options.details, (details = NOTHING_KNOWN) => abortedEof(details)),
    ends_after: (message) => (!failedIsTerminal && isFailedCheck(message) ? complete() : undefined),
  };
}

// N4: the figures may be wrong, or asking for them may fail; the reader still gets its end, without them.
function endWith(details: RouteOptions["details"], make: (details?: EofDetails) => PipelineMessage): PipelineMessage {
  try {
    return make(details?.());
  } catch {
    return make();
  }
}

function holds(entries: readonly Entry[], message: PipelineMessage): boolean {
  if (entries.includes(message.type)) return true;
  return message.type === "stream_status" && entries.includes("stream_status(start)") && isStart(message);
}

// Predicates read payloads of producers that may be wrong: a missing payload is simply not a start and not a failure.
function isStart(message: PipelineMessage & { type: "stream_status" }): boolean {
  return (message.stream_status as { status?: unknown } | undefined)?.status === "start";
}

function isFailedCheck(message: PipelineMessage): boolean {
  if (message.type !== "connection_status") return false;
  return (message.connection_status as { status?: unknown } | undefined)?.status === "failed";
}

const SENTENCES: { readonly [C in EofErrorCode]: string } = {
  protocol_violation: "the producer broke the order of messages",
  invariant_violation: "the producer broke one of its own rules",
  internal_error: "the producer failed",
};

function codeOf(error: unknown): EofErrorCode {
  if (!isFramerailError(error)) return "internal_error";
  if (error.code === "PROTOCOL_VIOLATION") return "protocol_violation";
  return error.code === "INVARIANT_VIOLATION" ? "invariant_violation" : "internal_error";
}
