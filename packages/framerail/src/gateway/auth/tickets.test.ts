import { randomBytes, randomUUID } from "node:crypto";
import big from "big-list-of-naughty-strings" with { type: "json" };
import { beforeEach, expect, test } from "vitest";
import type { HandClock } from "../../dispatch/testing/turn-bench.js";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import type { Caller } from "./caller.js";
import { TICKET_FIRST_USE_MS, TICKET_MS_MAX } from "./limits.js";
import type { TicketStore } from "./tickets.js";
import { createMemoryTickets } from "./tickets.js";

const turn = randomUUID();
const caller: Caller = { tenantId: randomUUID(), userId: "user_1", kind: "user", subject: "user:1" };

let clock: HandClock;
let tickets: TicketStore;
beforeEach(() => {
  clock = handClock();
  tickets = createMemoryTickets({ clock, ticketsMax: 3 });
});

test("a ticket is 256 random bits, and never the same twice [D-13]", async () => {
  const made = new Set<string>();
  for (let index = 0; index < 20; index += 1) made.add(await tickets.issue(turn, caller));
  expect(made.size).toBe(20);
  for (const ticket of made) {
    expect(ticket).toMatch(/^frt_[\w-]{43}$/);
    expect(Buffer.from(ticket.slice(4), "base64url")).toHaveLength(32);
  }
});

test("a ticket is first used within 30 s, with or without a cursor [D-18]", async () => {
  expect(TICKET_FIRST_USE_MS).toBe(30_000);
  for (const hasCursor of [true, false]) {
    const ticket = await tickets.issue(turn, caller);
    clock.pass(TICKET_FIRST_USE_MS - 1);
    expect(await tickets.redeem(ticket, turn, hasCursor)).toBe(caller);
    const late = await tickets.issue(turn, caller);
    clock.pass(TICKET_FIRST_USE_MS);
    expect(await tickets.redeem(late, turn, hasCursor)).toBeUndefined();
    clock.pass(-TICKET_FIRST_USE_MS);
    expect(await tickets.redeem(late, turn, hasCursor)).toBeUndefined();
  }
});

test("after its first use a ticket is good with a cursor only, as long as the turn's frames are kept [D-18]", async () => {
  const ticket = await tickets.issue(turn, caller);
  await tickets.redeem(ticket, turn, false);
  expect(await tickets.redeem(ticket, turn, false)).toBeUndefined();
  clock.pass(TICKET_MS_MAX - 1);
  expect(await tickets.redeem(ticket, turn, true)).toBe(caller);
  expect(await tickets.redeem(ticket, turn, false)).toBeUndefined();
  clock.pass(1);
  expect(await tickets.redeem(ticket, turn, true)).toBeUndefined();
});

test("a ticket opens its own turn only, and a try at another does not use it up [D-18]", async () => {
  const ticket = await tickets.issue(turn, caller);
  const other = randomUUID();
  expect(await tickets.redeem(ticket, other, true)).toBeUndefined();
  expect(await tickets.redeem(ticket, turn, false)).toBe(caller);
  expect(await tickets.redeem(ticket, other, true)).toBeUndefined();
});

test("what is no ticket is refused, whatever it is [D-13]", async () => {
  const ticket = await tickets.issue(turn, caller);
  const wrong = ["", "frt_", `${ticket}x`, ticket.slice(0, -1), ticket.toUpperCase(), "x".repeat(1_048_576)];
  const guessed = `frt_${randomBytes(32).toString("base64url")}`;
  for (const text of [...wrong, guessed, ...(big as string[])])
    expect(await tickets.redeem(text, turn, true), text.slice(0, 60)).toBeUndefined();
});

test("the table is bounded: the oldest unused ticket goes first, used ones last [G8]", async () => {
  const issue = () => tickets.issue(turn, caller);
  const redeem = async (ticket: string) => (await tickets.redeem(ticket, turn, true)) !== undefined;
  const used = await issue();
  expect(await redeem(used)).toBe(true);
  const [second, third, fourth] = [await issue(), await issue(), await issue()];
  expect([await redeem(second), await redeem(third), await redeem(fourth)]).toEqual([false, true, true]);
  const fifth = await issue();
  expect([await redeem(used), await redeem(third), await redeem(fourth), await redeem(fifth)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test("tickets that nobody used in time make room by themselves [G8]", async () => {
  const used = await tickets.issue(turn, caller);
  await tickets.redeem(used, turn, false);
  await tickets.issue(turn, caller);
  await tickets.issue(turn, caller);
  clock.pass(TICKET_FIRST_USE_MS);
  const [a, b] = [await tickets.issue(turn, caller), await tickets.issue(turn, caller)];
  for (const ticket of [used, a, b]) expect(await tickets.redeem(ticket, turn, true)).toBe(caller);
});
