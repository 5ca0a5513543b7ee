import { expect, test } from "vitest";
import { handClock } from "../../dispatch/testing/turn-bench.js";
import type { Caller } from "./caller.js";
import { createMemoryTickets } from "./tickets.js";

const of = (tenantId: string): Caller => ({ tenantId, userId: "u", kind: "user", subject: `user:${tenantId}` });

test("a table that one tenant has filled with used tickets leaves others' fresh ones good [G8]", async () => {
  const tickets = createMemoryTickets({ clock: handClock(), ticketsMax: 100 });
  // One tenant: issues and uses.
  for (let index = 0; index < 100; index += 1) {
    const ticket = await tickets.issue("t", of("greedy"));
    expect(await tickets.redeem(ticket, "t", false)).toBeDefined();
  }
  // Two browsers of another tenant open a stream in the same moment.
  const first = await tickets.issue("a", of("quiet"));
  const second = await tickets.issue("b", of("quiet"));
  expect(await tickets.redeem(second, "b", false)).toBeDefined();
  expect(await tickets.redeem(first, "a", false)).toBeDefined();
});
