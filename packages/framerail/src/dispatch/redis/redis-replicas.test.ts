import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RedisServer } from "../../log/redis/testing/redis-server.js";
import { createRedisServer } from "../../log/redis/testing/redis-server.js";
import { PRESENCE_MS_TTL } from "../limits.js";
import { openRedisReplicas } from "./redis-replicas.js";

let server: RedisServer;
const connections: Redis[] = [];
beforeAll(async () => {
  server = await createRedisServer();
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await server.dispose();
});

const connect = () => {
  const redis = new Redis(server.url);
  redis.on("error", () => undefined);
  connections.push(redis);
  return redis;
};
const open = async (owner = randomUUID()) => ({
  owner,
  replicas: await openRedisReplicas({ asking: connect(), listening: connect(), owner }),
});

test("a reader at one process is known at the others, for as long as it is said again [D-9]", async () => {
  const [{ replicas: here }, { replicas: there }] = [await open(), await open()];
  const [read, unread] = [randomUUID(), randomUUID()];
  await here.announceReaders([read]);
  expect(await there.isReadElsewhere(read)).toBe(true);
  expect(await there.isReadElsewhere(unread)).toBe(false);
  await expect.poll(() => there.isReadElsewhere(read), { timeout: PRESENCE_MS_TTL + 3_000 }).toBe(false);
});

test("a process hears what is asked of it, and nothing that is asked of others [W-CAN-6]", async () => {
  const [one, other] = [await open(), await open()];
  const heard: string[] = [];
  one.replicas.onCancel((turnId) => heard.push(`one ${turnId}`));
  other.replicas.onCancel((turnId) => heard.push(`other ${turnId}`));
  await one.replicas.askCancel(other.owner, "t1");
  await other.replicas.askCancel(one.owner, "t2");
  await expect.poll(() => heard.sort()).toEqual(["one t2", "other t1"]);
});

test("a Redis that comes back is listened to again [D-9]", async () => {
  const { owner, replicas } = await open();
  const heard: string[] = [];
  replicas.onCancel((turnId) => heard.push(turnId));
  await server.kill();
  await server.start();
  const { replicas: other } = await open();
  const ask = async () => {
    await other.askCancel(owner, "t");
    return heard.length > 0;
  };
  await expect.poll(ask, { timeout: 20_000 }).toBe(true);
});
