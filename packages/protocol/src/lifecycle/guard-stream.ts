// The engine as a wrapper over an async iterable, for routes whose producer is one: connectors, pipelines, recorded
// streams [L-32]. Whatever the producer does, the reader gets ordered messages and exactly one terminal, last.
// Owns: order and the end. Does not own: pulling and letting go (producer.ts), bytes, what a route allows (spec.ts).
//   W1. Out of order → the spec's terminal, and the producer is let go [L-30].
//   W2. A throw → the spec's terminal [L-31]. A silent end → the spec's terminal [L-60].
//   W3. After the terminal the reader is done at once; what the producer still says is dropped and reported [L-29].
//   W4. An abort does not wait for the producer; it ends with the spec's terminal where it has one [L-53].

import type { Clock } from "../clock.js";
import { systemClock } from "../clock.js";
import { FramerailError } from "../error.js";
import type { ClassGuard } from "./guard.js";
import { classify, createClassGuard } from "./guard.js";
import type { Verdict } from "./phase.js";
import type { Pulled } from "./producer.js";
import { ABORTED, openProducer } from "./producer.js";
import type { StreamProtocolSpec, ViolationDetails } from "./spec.js";

/** What an operator must hear of although the reader does not. */
export type StreamReport = { readonly route: string } & (
  | { readonly kind: "violation"; readonly details: ViolationDetails }
  | { readonly kind: "silent_end"; readonly details: ViolationDetails }
  | { readonly kind: "thrown"; readonly error: unknown }
  | { readonly kind: "late"; readonly message_type: string }
  | { readonly kind: "aborted"; readonly reason: unknown }
  | { readonly kind: "release_failed"; readonly error: unknown }
);

export interface GuardStreamOptions<T> {
  readonly onReport?: (report: StreamReport) => void;
  readonly signal?: AbortSignal;
  /** A message to put before the terminal of a violation, such as a log line for the reader [L-54]. */
  readonly explain?: (details: ViolationDetails) => T;
  readonly clock?: Clock;
}

type Message = { readonly type: string };

export async function* guardStream<T extends Message>(
  spec: StreamProtocolSpec<T>,
  source: AsyncIterable<T>,
  options: GuardStreamOptions<T> = {},
): AsyncGenerator<T, void, undefined> {
  const { route } = spec;
  const report = options.onReport ?? (() => undefined);
  const guard = createClassGuard(route);
  const producer = openProducer(source, options.signal, {
    late: (message) => report({ kind: "late", route, message_type: typeOf(message) }),
    releaseFailed: (error) => report({ kind: "release_failed", route, error }),
  });
  let endedByProducer = false;
  try {
    for (;;) {
      let pulled: Pulled<T>;
      let verdict: Verdict = "pass";
      try {
        pulled = await producer.pull();
        if (pulled !== ABORTED && !pulled.done) verdict = admit(spec, guard, pulled.value);
      } catch (error) {
        report({ kind: "thrown", route, error });
        return yield ending(spec, spec.on_thrown_error(error));
      }
      if (pulled === ABORTED) {
        report({ kind: "aborted", route, reason: options.signal?.reason });
        if (spec.on_abort !== undefined) yield ending(spec, spec.on_abort());
        return;
      }
      if (pulled.done) {
        const details = describeSilentEnd(route, guard);
        report({ kind: "silent_end", route, details });
        return yield ending(spec, (spec.on_silent_end ?? spec.on_violation)(details));
      }
      if (verdict === "violation") {
        const details = guard.violation() as ViolationDetails;
        report({ kind: "violation", route, details });
        if (options.explain !== undefined) yield options.explain(details);
        return yield ending(spec, spec.on_violation(details));
      }
      const end = verdict === "pass" ? spec.ends_after?.(pulled.value) : undefined;
      endedByProducer = verdict === "end" || end !== undefined;
      yield pulled.value;
      if (end !== undefined) yield ending(spec, end);
      if (endedByProducer) return;
    }
  } finally {
    if (endedByProducer) producer.watch(options.clock ?? systemClock);
    else producer.release();
  }
}

function admit<T extends Message>(spec: StreamProtocolSpec<T>, guard: ClassGuard, message: T): Verdict {
  const type = typeOf(message);
  return guard.admit(type, type === NO_TYPE ? 0 : classify(spec, message));
}

/** Stands for the type of something that is no message at all. */
const NO_TYPE = "(untyped)";

function typeOf(message: unknown): string {
  const type = typeof message === "object" && message !== null ? (message as { type?: unknown }).type : undefined;
  return typeof type === "string" ? type : NO_TYPE;
}

// A spec that ends a stream with a message it does not call terminal would leave the reader waiting.
function ending<T extends Message>(spec: StreamProtocolSpec<T>, message: T): T {
  if (spec.is_terminal(message)) return message;
  throw new FramerailError(
    "INVARIANT_VIOLATION",
    `the ${spec.route} spec ends with ${message.type}, which is no terminal`,
  );
}

function describeSilentEnd(route: string, { phase, count }: ClassGuard): ViolationDetails {
  return { route, phase, message_type: "(end)", index: count, message: `stream ended in ${phase} without a terminal` };
}
