// Waits that can be left: for somebody else's promise, for a time, or within a time.
//   W1. A wait that is left, for whatever reason, leaves no timer, no listener and no unheard rejection behind.
//   W2. Nobody is trusted to obey an AbortSignal: the wait ends when the signal fires, whatever the other side does.
//   W3. A wait that is left says so in our words: CANCELLED, with what the caller aborted with as the cause; an error of
//       ours that a signal fires with, a deadline for instance, comes as it is.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";

export function leftError(cause?: unknown): FramerailError {
  return new FramerailError("CANCELLED", "the wait was left", { cause });
}

// W3. Some phones' signals know no reason.
function reasonOf(signal: AbortSignal | undefined): FramerailError {
  const reason: unknown = signal?.reason;
  return isFramerailError(reason) ? reason : leftError(reason);
}

/** Waits for the promise until the signal fires. */
export function untilAborted<T>(signal: AbortSignal, promise: PromiseLike<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(reasonOf(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    void promise.then(resolve, reject).then(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Lets the time pass; rejects when the signal fires first. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  let cancel: (() => void) | undefined;
  try {
    await untilAborted(
      signal,
      new Promise<void>((resolve) => {
        cancel = clock.schedule(ms, resolve);
      }),
    );
  } finally {
    cancel?.();
  }
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Begins the time again. */
  renew(): void;
}

/** Runs with a signal that fires with DEADLINE_EXCEEDED after `ms`, or with `parent`, and always when the run is over. */
export async function withDeadline<T>(
  { clock, ms, parent }: { readonly clock: Clock; readonly ms: number; readonly parent?: AbortSignal | undefined },
  run: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const onParent = () => controller.abort(reasonOf(parent));
  const onLate = () => controller.abort(new FramerailError("DEADLINE_EXCEEDED", `no answer within ${ms} ms`));
  let cancel = clock.schedule(ms, onLate);
  const renew = () => {
    cancel();
    if (!signal.aborted) cancel = clock.schedule(ms, onLate);
  };
  parent?.addEventListener("abort", onParent);
  if (parent?.aborted) onParent();
  try {
    return await run({ signal, renew });
  } finally {
    cancel();
    parent?.removeEventListener("abort", onParent);
    // What the run began and did not finish, such as the rest of a body, is let go.
    controller.abort(leftError());
  }
}
