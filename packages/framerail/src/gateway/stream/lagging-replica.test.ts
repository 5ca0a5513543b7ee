import { randomUUID } from "node:crypto";
import { systemClock } from "@framerail/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HoldingProxy } from "../../log/redis/testing/holding-proxy.js";
import { createHoldingProxy } from "../../log/redis/testing/holding-proxy.js";
import { attachTo, closeLogs, openLog, startTurn } from "../../log/redis/testing/log-pair.js";
import type { RedisServer } from "../../log/redis/testing/redis-server.js";
import { createRedisServer } from "../../log/redis/testing/redis-server.js";
import { untilReleased } from "../../log/testing/log-contract.js";
import type { TurnLog } from "../../log/turn-log.js";
import { openReader } from "./open-reader.js";

let server: RedisServer;
let proxy: HoldingProxy;
beforeEach(async () => {
  server = await createRedisServer();
  proxy = await createHoldingProxy(server.url);
});
afterEach(async () => {
  proxy.release();
  await closeLogs();
  await proxy.close();
  await server.dispose();
});

/** Resumes after a frame that it has seen, on a turn that runs. */
const resume = (log: TurnLog, turnId: string, seq: number) =>
  openReader(
    { log, clock: systemClock },
    {
      turnId,
      cursor: { epoch: 1, seq },
      find: async () => ({ status: "running", epoch: 1, last_seq: 0 }),
      frames: async () => [],
    },
  );

test("a reader goes on, on a replica that hears of its frame a little later [G3]", async () => {
  const [near, far] = [openLog(server.url), openLog(proxy.url)];
  const turn = startTurn(near, { turnId: randomUUID() });
  turn.append(1, 3);
  // Somebody reads the turn on the other replica already.
  await untilReleased(await attachTo(far, turn.turnId), 3);
  const seen = await attachTo(near, turn.turnId);
  proxy.hold();
  turn.append(4, 5);
  await untilReleased(seen, 5);
  setTimeout(() => proxy.release(), 300);
  const reader = (await resume(far, turn.turnId, 5)) ?? expect.fail();
  expect(reader.afterSeq).toBe(5);
});

test("a reader goes on, at an owner that has not heard yet that its frame is logged [G3]", async () => {
  const [owner, other] = [openLog(proxy.url), openLog(server.url)];
  const turn = startTurn(owner, { turnId: randomUUID() });
  turn.append(1, 3);
  await untilReleased(await attachTo(owner, turn.turnId), 3);
  const seen = await attachTo(other, turn.turnId);
  proxy.loseAnswer("ok\r\n");
  turn.append(4, 5);
  await untilReleased(seen, 5);
  const reader = (await resume(owner, turn.turnId, 5)) ?? expect.fail();
  expect(reader.afterSeq).toBe(5);
});

test("of a turn that runs, nothing has expired because Redis came back empty: its owner brings it again [D-1] [D-2] [G3]", async () => {
  let confirm = (_: boolean) => {};
  const confirmOwner = () => new Promise<boolean>((resolve) => (confirm = resolve));
  const [owner, other] = [openLog(server.url, { confirmOwner }), openLog(server.url)];
  const turn = startTurn(owner, { turnId: randomUUID() });
  turn.append(1, 5);
  await untilReleased(await attachTo(owner, turn.turnId), 5);
  await untilReleased(await attachTo(other, turn.turnId), 5);
  await server.kill();
  await server.start();
  // The store takes its time to say whose turn it is.
  await expect(resume(other, turn.turnId, 2)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  confirm(true);
  await expect
    .poll(() =>
      resume(other, turn.turnId, 2).then(
        (reader) => reader?.afterSeq,
        () => undefined,
      ),
    )
    .toBe(2);
});
