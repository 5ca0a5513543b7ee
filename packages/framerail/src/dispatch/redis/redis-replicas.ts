// What processes tell each other, by Redis: readers as keys that expire, requests to stop as messages to the owner.
// Owns: names of keys and channels. Does not own: connections, what is done about it (presence.ts, cancel-turn.ts).
//   R1. A key is believed for PRESENCE_MS_TTL. A process that dies is forgotten by itself.
//   R2. A connection that breaks is opened again, and listens again; what was published meanwhile is lost, and is asked
//       again by whoever asked.

import type { Redis } from "ioredis";
import { PRESENCE_MS_TTL } from "../limits.js";
import type { Replicas } from "../replicas.js";

export interface RedisReplicasOptions {
  /** To ask by. */
  readonly asking: Redis;
  /** To listen by, and for nothing else. */
  readonly listening: Redis;
  readonly owner: string;
}

const readersKey = (turnId: string) => `framerail:readers:${turnId}`;
const cancelChannel = (owner: string) => `framerail:cancel:${owner}`;

export async function openRedisReplicas(options: RedisReplicasOptions): Promise<Replicas> {
  const { asking, listening, owner } = options;
  let listener: (turnId: string) => void = () => undefined;
  listening.on("message", (_channel, turnId) => listener(turnId));
  await listening.subscribe(cancelChannel(owner));
  return {
    async announceReaders(turnIds) {
      const pipeline = asking.pipeline();
      for (const turnId of turnIds) pipeline.set(readersKey(turnId), owner, "PX", PRESENCE_MS_TTL);
      await pipeline.exec();
    },
    isReadElsewhere: async (turnId) => (await asking.exists(readersKey(turnId))) === 1,
    async askCancel(to, turnId) {
      await asking.publish(cancelChannel(to), turnId);
    },
    onCancel(heard) {
      listener = heard;
    },
  };
}
