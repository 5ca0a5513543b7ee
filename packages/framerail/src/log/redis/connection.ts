// One connection to Redis, which comes back by itself, and calls on it that end.
// Owns: connecting, the longest wait. Does not own: repeating a call, and whether that is safe.
//   C1. A call is answered, or rejects with LOG_UNAVAILABLE within its time. It is never repeated here.
//   C2. A connection on which an answer did not come in time is given up: the answer to a later call might be its own.
//   C3. A call that was given up is never sent later.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { Redis } from "ioredis";
import { CONNECT_MS_MAX, DISCONNECT_MS_MAX } from "./limits.js";
import { retryMs } from "./retry-ms.js";

/** An address, or a client whose settings (TLS, sentinels) are taken; its own connection is left alone. */
export type RedisSource = { readonly url: string } | { readonly redis: Redis };

export interface Call {
  readonly name: string;
  readonly args: readonly (string | number | Buffer)[];
  readonly msMax: number;
}

export interface RedisConnection {
  /** The answer with its strings as bytes. */
  call(call: Call): Promise<unknown>;
  /** `again`: it was there before, so that Redis may have lost what it had. */
  onReady(ready: (again: boolean) => void): void;
  close(): void;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  /** A connection was lost or could not be made. */
  report(error: FramerailError): void;
}

export function openConnection(source: RedisSource, { clock, report }: ConnectionOptions): RedisConnection {
  const redis = createClient(source);
  /** Calls that are sent when the connection is there. */
  const unsent = new Set<() => void>();
  let readyCount = 0;
  let outage = false;
  let givenUp = false;
  redis.on("error", (cause: unknown) => {
    // One outage is many failed attempts.
    if (!outage) report(unavailable("Redis cannot be reached", cause));
    outage = true;
  });
  redis.on("ready", () => {
    outage = false;
    givenUp = false;
    readyCount += 1;
    for (const send of unsent) send();
  });
  const call = ({ name, args, msMax }: Call) =>
    new Promise((resolve, reject) => {
      const takeBack = clock.schedule(msMax, () => {
        unsent.delete(send);
        reject(unavailable(`Redis did not answer within ${msMax} ms`));
        // C2, once for all calls that wait on it.
        if (redis.status !== "ready" || givenUp) return;
        givenUp = true;
        redis.disconnect(true);
      });
      const send = () => {
        unsent.delete(send);
        redis
          .callBuffer(name, ...args)
          .finally(takeBack)
          .then(resolve, (cause: unknown) => reject(unavailable("a call to Redis failed", cause)));
      };
      // An ended connection refuses the call itself.
      if (redis.status === "ready" || redis.status === "end") send();
      else unsent.add(send);
      if (redis.status === "wait") connect(redis);
    });
  return {
    call,
    onReady: (ready) => void redis.on("ready", () => ready(readyCount > 1)),
    close: () => redis.disconnect(),
  };
}

function createClient(source: RedisSource): Redis {
  const options = {
    lazyConnect: true,
    // C3
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // A call whose connection broke fails at once.
    maxRetriesPerRequest: 0,
    // It asks INFO, which a user with few rights may not; a server that is still loading refuses the call itself.
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
    connectTimeout: CONNECT_MS_MAX,
    disconnectTimeout: DISCONNECT_MS_MAX,
    retryStrategy: retryMs,
    // A replica that is no primary any more, or not yet: the next connection may be to the right one.
    reconnectOnError: ({ message }: Error) => message.startsWith("READONLY"),
  } as const;
  return "url" in source ? new Redis(source.url, options) : source.redis.duplicate(options);
}

function connect(redis: Redis): void {
  // Its failure is told by the "error" event, and it goes on trying.
  redis.connect().catch(() => undefined);
}

export function unavailable(says: string, cause?: unknown): FramerailError {
  return new FramerailError("LOG_UNAVAILABLE", says, { cause });
}
