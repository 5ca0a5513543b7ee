// Tickets that any process of a deployment takes, by Redis. The rules are those of auth/tickets.ts; what is kept expires by
// itself.
//   K1. Of two who use a ticket for the first time at once, one wins: taking it away and finding it is one step.

import { createHash, randomBytes } from "node:crypto";
import { FramerailError } from "@framerail/protocol";
import type { Redis } from "ioredis";
import type { Caller } from "../auth/caller.js";
import { TICKET_FIRST_USE_MS, TICKET_MS_MAX } from "../auth/limits.js";
import type { TicketStore } from "../auth/tickets.js";
import { createTicket, isTicket } from "../auth/tickets.js";

interface Entry {
  readonly turnId: string;
  readonly caller: Caller;
}

const unusedKey = (hash: string) => `framerail:ticket:${hash}`;
const usedKey = (hash: string) => `framerail:ticket-used:${hash}`;

export function createRedisTickets(redis: Redis): TicketStore {
  return {
    async issue(turnId, caller) {
      const ticket = createTicket(randomBytes);
      const entry: Entry = { turnId, caller };
      await heard(redis.set(unusedKey(hashOf(ticket)), JSON.stringify(entry), "PX", TICKET_FIRST_USE_MS));
      return ticket;
    },
    async redeem(ticket, turnId, hasCursor) {
      if (!isTicket(ticket)) return undefined;
      const hash = hashOf(ticket);
      const unused = readEntry(await heard(redis.get(unusedKey(hash))), turnId);
      // K1
      if (unused !== undefined && (await heard(redis.del(unusedKey(hash)))) === 1) {
        await heard(redis.set(usedKey(hash), JSON.stringify(unused), "PX", TICKET_MS_MAX));
        return unused.caller;
      }
      return hasCursor ? readEntry(await heard(redis.get(usedKey(hash))), turnId)?.caller : undefined;
    },
  };
}

function readEntry(text: string | null, turnId: string): Entry | undefined {
  const entry = text === null ? undefined : (JSON.parse(text) as Entry);
  return entry?.turnId === turnId ? entry : undefined;
}

/** A Redis that is away is no wrong ticket. */
async function heard<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new FramerailError("LOG_UNAVAILABLE", "Redis cannot be reached", { cause });
  }
}

function hashOf(ticket: string): string {
  return createHash("sha256").update(ticket, "utf8").digest("base64url");
}
