// One producer of messages, pulled with care: it may throw instead of giving an iterator, get stuck, speak after its
// end or fail while it is let go. Used by guard-stream.ts alone.
//   R1. `return()` is called at most once, never on a producer that is already done, and its failure is reported.
//   R2. An abort settles the pull in progress at once. One listener serves the whole stream: racing every `next()`
//       against one long-lived promise would keep a reaction per message alive.
//   R3. A producer that has sent its terminal is watched for at most LATE_MESSAGES_MAX messages and LATE_WAIT_MS_MAX.

import type { Clock } from "../clock.js";
import { LATE_MESSAGES_MAX, LATE_WAIT_MS_MAX } from "../limits.js";

export const ABORTED = Symbol("aborted");
export type Pulled<T> = IteratorResult<T> | typeof ABORTED;

export interface ProducerReports<T> {
  late(message: T): void;
  releaseFailed(error: unknown): void;
}

export interface Producer<T> {
  pull(): Promise<Pulled<T>>;
  /** Lets the producer go, now. */
  release(): void;
  /** Lets the producer go after listening for what it says after its end. Does not make the caller wait. */
  watch(clock: Clock): void;
}

export function openProducer<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
  reports: ProducerReports<T>,
): Producer<T> {
  let iterator: AsyncIterator<T> | undefined;
  let open = true;
  let settleAborted: (() => void) | undefined;
  const onAbort = () => settleAborted?.();
  signal?.addEventListener("abort", onAbort);

  async function next(): Promise<IteratorResult<T>> {
    try {
      iterator ??= source[Symbol.asyncIterator]();
      const result = await iterator.next();
      if (result.done) open = false;
      return result;
    } catch (error) {
      open = false;
      throw error;
    }
  }

  function pull(): Promise<Pulled<T>> {
    if (signal === undefined) return next();
    if (signal.aborted) return Promise.resolve(ABORTED);
    return new Promise((resolve, reject) => {
      let aborted = false;
      settleAborted = () => {
        aborted = true;
        resolve(ABORTED);
      };
      next().then(resolve, (error: unknown) => (aborted ? reports.releaseFailed(error) : reject(error)));
    });
  }

  function release(): void {
    signal?.removeEventListener("abort", onAbort);
    if (!open || iterator === undefined) return;
    open = false;
    try {
      Promise.resolve(iterator.return?.()).catch(reports.releaseFailed);
    } catch (error) {
      reports.releaseFailed(error);
    }
  }

  async function listen(): Promise<void> {
    for (let seen = 0; open && seen < LATE_MESSAGES_MAX; seen += 1) {
      const result = await next();
      if (!open) return;
      reports.late(result.value as T);
    }
  }

  function watch(clock: Clock): void {
    const cancelDeadline = clock.schedule(LATE_WAIT_MS_MAX, release);
    listen()
      .catch(reports.releaseFailed)
      .finally(() => {
        cancelDeadline();
        release();
      });
  }

  return { pull, release, watch };
}
