// Waiting that ends at once when its signal is aborted, whatever the one waited for does.

/** Settles as `work` does, or rejects with the signal's reason. What `work` gives after that is lost. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    // The listener goes with the wait: one signal serves a whole turn, and thousands of waits.
    const leave = () => signal.removeEventListener("abort", stop);
    work.then(
      (value) => {
        leave();
        resolve(value);
      },
      (error: unknown) => {
        leave();
        reject(error as Error);
      },
    );
  });
}
