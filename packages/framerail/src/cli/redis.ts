// Connections to Redis for what is not the log: short commands that may fail, on connections that come back by themselves.
//   C1. A command waits for no connection that is away: whoever asked hears of it at once, and asks again or goes without.

import { FramerailError } from "@framerail/protocol";
import { Redis } from "ioredis";

const COMMAND_MS_MAX = 2_000;
const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS = 50;
const RECONNECT_MS_MAX = 1_000;

/** Rejects with LOG_UNAVAILABLE when it cannot be reached at the start. */
export async function connectRedis(url: string, report: (error: FramerailError) => void): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: COMMAND_MS_MAX,
    connectTimeout: CONNECT_MS_MAX,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * RECONNECT_MS, RECONNECT_MS_MAX),
  });
  redis.on("error", (cause) => report(away(cause)));
  try {
    await redis.connect();
    return redis;
  } catch (cause) {
    redis.disconnect();
    throw away(cause);
  }
}

function away(cause: unknown): FramerailError {
  return new FramerailError("LOG_UNAVAILABLE", "Redis cannot be reached", { cause });
}
