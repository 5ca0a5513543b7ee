// Waits that can be left: for somebody else's promise, for a time, or within a time.
//   W1. A wait that is left, for whatever reason, leaves no timer, no listener and no unheard rejection behind.
//   W2. Nobody is trusted to obey an AbortSignal: the wait ends when the signal fires, whatever the other side does.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";

export function leftError(): FramerailError {
  return new FramerailError("CANCELLED", "the wait was left");
}

/** Waits for the promise until the signal fires. */
export function untilAborted<T>(signal: AbortSignal, promise: PromiseLike<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // Some phones' signals know no reason.
    const onAbort = () => reject(signal.reason ?? leftError());
    const release = () => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    promise.then(
      (value) => {
        release();
        resolve(value);
      },
      (error) => {
        release();
        reject(error);
      },
    );
    if (signal.aborted) release();
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
  const onParent = () => controller.abort(parent?.reason ?? leftError());
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
