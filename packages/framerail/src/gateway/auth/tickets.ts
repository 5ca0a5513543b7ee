// Tickets of streams: what a browser's EventSource, which can send no header, puts into the address instead of a token.
// Owns: the port, and tickets in one process's memory. Does not own: who may have one (the route that issues it).
//   T1. A ticket is 256 random bits, kept as their SHA-256 [D-13].
//   T2. It stands for the caller who asked, for one turn, and is first used within TICKET_FIRST_USE_MS [D-18].
//   T3. After that it is good only together with a cursor: an address that leaked replays nothing from the start, and a
//       reader whose connection broke goes on [D-18].
//   T4. The table is bounded. What gives way is the oldest of the many, used or not: the used ones of a day must not leave
//       room for only one that is new.

import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@framerail/protocol";
import type { Caller } from "./caller.js";
import { isWithin } from "./elapsed.js";
import { TICKET_FIRST_USE_MS, TICKET_MS_MAX, TICKETS_MAX } from "./limits.js";

export interface TicketStore {
  /** Makes a ticket. What it gives is the only time that it is told (T1). */
  issue(turnId: string, caller: Caller): Promise<string>;
  /** The caller a ticket stands for; undefined for every text that is no good for this turn now. */
  redeem(ticket: string, turnId: string, hasCursor: boolean): Promise<Caller | undefined>;
}

export interface MemoryTicketOptions {
  readonly clock: Clock;
  readonly ticketsMax?: number;
}

interface Entry {
  readonly turnId: string;
  readonly caller: Caller;
  readonly issuedAt: number;
}

const PREFIX = "frt_";
const TICKET_BYTES = 32;
const TICKET = /^frt_[\w-]{43}$/;

/** A new ticket (T1). */
export function createTicket(random: (size: number) => Buffer): string {
  return `${PREFIX}${random(TICKET_BYTES).toString("base64url")}`;
}

/** Whether a text could be a ticket: what could not is never looked up. */
export function isTicket(text: string): boolean {
  return TICKET.test(text);
}

export function createMemoryTickets({ clock, ticketsMax = TICKETS_MAX }: MemoryTicketOptions): TicketStore {
  // Both in the order in which they were entered, so the oldest are the first.
  const unused = new Map<string, Entry>();
  const used = new Map<string, Entry>();

  function makeRoom(): void {
    dropExpired(unused, clock, TICKET_FIRST_USE_MS);
    dropExpired(used, clock, TICKET_MS_MAX);
    if (unused.size + used.size < ticketsMax) return;
    // T4.
    const crowd = unused.size > used.size ? unused : used;
    crowd.delete(crowd.keys().next().value as string);
  }

  return {
    issue(turnId, caller) {
      makeRoom();
      const ticket = createTicket(randomBytes);
      unused.set(hashOf(ticket), { turnId, caller, issuedAt: clock.now() });
      return Promise.resolve(ticket);
    },
    redeem(ticket, turnId, hasCursor) {
      if (!isTicket(ticket)) return Promise.resolve(undefined);
      const hash = hashOf(ticket);
      const entry = unused.get(hash) ?? (hasCursor ? used.get(hash) : undefined);
      if (entry?.turnId !== turnId) return Promise.resolve(undefined);
      const isFirst = unused.delete(hash);
      if (!isWithin(clock, entry.issuedAt, isFirst ? TICKET_FIRST_USE_MS : TICKET_MS_MAX)) {
        used.delete(hash);
        return Promise.resolve(undefined);
      }
      used.set(hash, entry);
      return Promise.resolve(entry.caller);
    },
  };
}

/** Stops at the first that is young: what was entered later is younger. */
function dropExpired(entries: Map<string, Entry>, clock: Clock, ms: number): void {
  for (const [hash, { issuedAt }] of entries) {
    if (isWithin(clock, issuedAt, ms)) return;
    entries.delete(hash);
  }
}

function hashOf(ticket: string): string {
  return createHash("sha256").update(ticket, "utf8").digest("base64url");
}
