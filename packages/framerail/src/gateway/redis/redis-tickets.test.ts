import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RedisServer } from "../../log/redis/testing/redis-server.js";
import { createRedisServer } from "../../log/redis/testing/redis-server.js";
import type { Caller } from "../auth/caller.js";
import { TICKET_FIRST_USE_MS, TICKET_MS_MAX } from "../auth/limits.js";
import { createRedisTickets } from "./redis-tickets.js";

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await createRedisServer();
  redis = new Redis(server.url, { maxRetriesPerRequest: 0 });
  redis.on("error", () => undefined);
});
afterAll(async () => {
  redis.disconnect();
  await server.dispose();
});

const caller: Caller = { tenantId: randomUUID(), userId: "ann", kind: "user", subject: "user:x" };

test("a ticket of one process is good at another: once by itself, then with a cursor, for its turn alone [D-18]", async () => {
  const [here, there] = [createRedisTickets(redis), createRedisTickets(redis)];
  const turnId = randomUUID();
  const ticket = await here.issue(turnId, caller);
  expect(await there.redeem(ticket, randomUUID(), true)).toBeUndefined();
  expect(await there.redeem(`${ticket.slice(0, -1)}!`, turnId, true)).toBeUndefined();
  const firsts = await Promise.all([here, there, here, there].map((tickets) => tickets.redeem(ticket, turnId, false)));
  expect(firsts.filter((found) => found !== undefined)).toEqual([caller]);
  expect(await here.redeem(ticket, turnId, false)).toBeUndefined();
  expect(await there.redeem(ticket, turnId, true)).toEqual(caller);
  expect(await there.redeem(ticket, randomUUID(), true)).toBeUndefined();
});

test("what is kept is a hash, and goes by itself in its time [D-13] [D-18]", async () => {
  const tickets = createRedisTickets(redis);
  const turnId = randomUUID();
  const ticket = await tickets.issue(turnId, caller);
  const keys = async () => (await redis.keys("framerail:ticket*")).filter((key) => !known.has(key));
  const known = new Set((await redis.keys("framerail:ticket*")).filter((key) => key.includes("used")));
  const [unused = ""] = await keys();
  expect(unused).not.toContain(ticket.slice(4));
  expect(await redis.pttl(unused)).toBeGreaterThan(TICKET_FIRST_USE_MS - 5_000);
  expect(await redis.pttl(unused)).toBeLessThanOrEqual(TICKET_FIRST_USE_MS);
  await tickets.redeem(ticket, turnId, false);
  const [used = ""] = await keys();
  expect(await redis.pttl(used)).toBeLessThanOrEqual(TICKET_MS_MAX);
  expect(await redis.pttl(used)).toBeGreaterThan(TICKET_MS_MAX - 5_000);
});

test("a Redis that is away is told as such, not as a wrong ticket", async () => {
  const tickets = createRedisTickets(redis);
  const ticket = await tickets.issue("t", caller);
  await server.kill();
  await expect(tickets.redeem(ticket, "t", true)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  await expect(tickets.issue("t", caller)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
});
