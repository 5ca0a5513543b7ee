// Every metric by its name, with the labels it may have: the allow-list [C-32]. The page about metrics and the alert rules are
// checked against it.
// Owns: names, kinds, labels, buckets. Does not own: counting (stream-rows.ts, metrics.ts), values of dimensions
// (dimensions.ts).
//   N1. Names are dotted, as operators talk of them; for Prometheus a dot becomes an underscore [C-32].
//   N2. What is called `stream.*` has the five dimensions, and nothing else has them [W-MET-11].
//   N3. Every label has a closed list of values, or one that is given when the process starts; the rest is "other".

import type { CancelCode, FailureCode } from "@framerail/protocol";
import { CANCEL_CODES, EVENT_TYPES, FRAME_BYTES_MAX, FRAME_TYPES } from "@framerail/protocol";
import { DIMENSIONS, type Dimension } from "./dimensions.js";

/** Of an event: what policy decided. */
export const DECISIONS = ["forward", "transform", "suppress", "batch"] as const;
export type Decision = (typeof DECISIONS)[number];

export const TERMINALS = ["completed", "error", "cancelled"] as const;
export type Terminal = (typeof TERMINALS)[number];

/** How a turn ended here. `left`: its end could not be stored, and whoever seals it ends it. */
export const OUTCOMES = ["completed", "paused", "failed", "cancelled", "left"] as const;
export type OutcomeKind = (typeof OUTCOMES)[number];

export const TRANSPORTS = ["sse", "ndjson", "websocket", "grpc"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Why a reader was cut: it did not take what it was sent, or what it reads is gone. */
export const CUTS = ["slow", "lost"] as const;
export type Cut = (typeof CUTS)[number];

export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

export const AUTH_FAILURES = ["missing", "malformed", "invalid", "expired", "forbidden"] as const;
export type AuthFailure = (typeof AUTH_FAILURES)[number];

// A record, so that a code which is added to the wire and forgotten here does not compile.
const FAILURES: Readonly<Record<FailureCode, true>> = {
  INTERNAL_ERROR: true,
  RATE_LIMIT_ERROR: true,
  SUB_AGENT_FAILED: true,
  CCS_ENVELOPE_ERROR: true,
  PARTIAL_FAN_OUT: true,
};
export const FAILURE_CODES = Object.keys(FAILURES) as FailureCode[];

/** The first class of frame sizes; each further one is twice as large, up to the largest frame [W-NFR-7]. */
export const SIZE_BYTES_FIRST = 1_024;
export const FRAME_SIZES: readonly string[] = sizesUpTo(FRAME_BYTES_MAX);

type Label =
  | Dimension
  | "event_type"
  | "event_id"
  | "policy"
  | "type"
  | "code"
  | "trigger"
  | "bytes_max"
  | "outcome"
  | "transport"
  | "reason"
  | "route"
  | "status_class";

/** A list of values, or the name of the list that is given at the start. */
type Values = readonly string[] | "status_ids" | "routes";

export interface Metric {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Beside the five dimensions, where the name is `stream.*`. */
  readonly labels?: { readonly [L in Label]?: Values };
  /** In seconds. */
  readonly buckets?: readonly number[];
  /** Whether series are there with 0 before anything was counted: a rate sees only what grows from a known number. */
  readonly zeros?: true;
}

/** Counted per turn, in cells (stream-rows.ts). */
export const STREAM_COUNTERS = {
  frames: {
    name: "stream.events.emitted_total",
    kind: "counter",
    help: "Frames sent, by type",
    labels: { event_type: FRAME_TYPES },
  },
  frameSizes: {
    name: "stream.frame_sizes_total",
    kind: "counter",
    help: "Frames by the smallest class they fit in; inf is over the limit",
    labels: { bytes_max: FRAME_SIZES },
  },
  statuses: {
    name: "stream.status_event.emitted_total",
    kind: "counter",
    help: "Statuses written and not suppressed, by registered id",
    labels: { event_id: "status_ids" },
  },
  policies: {
    name: "stream.rendering_policy_applied_total",
    kind: "counter",
    help: "Events written, by type and what policy decided",
    labels: { event_type: EVENT_TYPES, policy: DECISIONS },
  },
  terminals: {
    name: "stream.terminal_frame.emitted_total",
    kind: "counter",
    help: "Terminal frames sent, one per turn",
    labels: { type: TERMINALS },
    zeros: true,
  },
  errorFrames: {
    name: "stream.error_frame.emitted_total",
    kind: "counter",
    help: "Error frames sent, final or not, by code",
    labels: { code: FAILURE_CODES },
    zeros: true,
  },
  rejected: {
    name: "stream.unregistered_event_rejected_total",
    kind: "counter",
    help: "Agents refused when built, for a status id that is not registered",
    zeros: true,
  },
  dropped: {
    name: "stream.sse.frame_dropped_total",
    kind: "counter",
    help: "Frames lost on the way to a reader that stayed; zero unless there is a bug",
    zeros: true,
  },
  cancelled: {
    name: "stream.turn.cancelled_total",
    kind: "counter",
    help: "Turns cancelled, by trigger",
    labels: { trigger: CANCEL_CODES satisfies readonly CancelCode[] },
    zeros: true,
  },
} as const satisfies Record<string, Metric>;

export const METRICS = {
  ttfe: {
    name: "stream.ttfe_seconds",
    kind: "histogram",
    help: "From dispatch to the first frame of a turn",
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  writerOverhead: {
    name: "stream.writer_overhead_seconds",
    kind: "histogram",
    help: "One write, from the writer to the log's door, sampled",
    buckets: [1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 0.001, 0.0025, 0.01],
  },
  unregistered: {
    name: "status_event.unregistered_id",
    kind: "counter",
    help: "Status ids met in a turn that are not registered; they were not shown",
  },
  turnsStarted: { name: "framerail.turns.started_total", kind: "counter", help: "Turns started" },
  turnsEnded: {
    name: "framerail.turns.ended_total",
    kind: "counter",
    help: "Turns ended, by outcome",
    labels: { outcome: OUTCOMES },
    zeros: true,
  },
  turnsRunning: { name: "framerail.turns.running", kind: "gauge", help: "Turns that run in this process" },
  readersOpen: {
    name: "framerail.readers.open",
    kind: "gauge",
    help: "Readers connected, by transport",
    labels: { transport: TRANSPORTS },
    zeros: true,
  },
  readersCut: {
    name: "framerail.readers.cut_total",
    kind: "counter",
    help: "Readers cut, by transport and reason",
    labels: { transport: TRANSPORTS, reason: CUTS },
    zeros: true,
  },
  commit: {
    name: "framerail.commit_seconds",
    kind: "histogram",
    help: "The final commit of a turn",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  },
  logFlush: {
    name: "framerail.log_flush_seconds",
    kind: "histogram",
    help: "One write of the turn log, for all turns of a tick",
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
  httpRequests: {
    name: "framerail.http.requests_total",
    kind: "counter",
    help: "Requests answered, whole or cut, by route and class of status",
    labels: { route: "routes", status_class: STATUS_CLASSES },
  },
  authFailures: {
    name: "framerail.auth.failures_total",
    kind: "counter",
    help: "Callers turned away, by class of reason",
    labels: { reason: AUTH_FAILURES },
    zeros: true,
  },
  logLinesLost: {
    name: "framerail.log_lines.lost_total",
    kind: "counter",
    help: "Lines that could not be written",
  },
} as const satisfies Record<string, Metric>;

export const ALL_METRICS: readonly Metric[] = [...Object.values(STREAM_COUNTERS), ...Object.values(METRICS)];

// N1
export function prometheusName({ name }: Metric): string {
  return name.replaceAll(".", "_");
}

// N2
export function labelNames({ name, labels = {} }: Metric): string[] {
  return [...(name.startsWith("stream.") ? DIMENSIONS : []), ...Object.keys(labels)];
}

function sizesUpTo(bytesMax: number): string[] {
  const sizes: string[] = [];
  for (let size = SIZE_BYTES_FIRST; size <= bytesMax; size *= 2) sizes.push(String(size));
  return [...sizes, "inf"];
}
