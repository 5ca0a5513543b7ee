// Promises that are settled from outside, and promises nobody may be looking at.

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function defer<T>(): Deferred<T> {
  let resolve!: Deferred<T>["resolve"];
  let reject!: Deferred<T>["reject"];
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise: quiet(promise), resolve, reject };
}

/** The same promise, which makes no noise when nobody looks at it. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {
    // Whoever waits for it hears of it; the state tells it too.
  });
  return promise;
}
