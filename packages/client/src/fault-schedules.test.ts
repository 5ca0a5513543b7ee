import { expect, test } from "vitest";
import { judgeReader, randomFaults, randomScript, seededRandom } from "./testing/fault-schedule.js";
import { collect, setUp } from "./testing/story.js";

const SCHEDULES = process.env.FRAMERAIL_LONG === undefined ? 500 : 10_000;

test("whatever the network does, every reader gets every frame once, in order, and one turn was begun [G1, G2, G3]", async () => {
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const random = seededRandom(seed);
    const { clock, server, session, client, timers } = setUp({
      script: randomScript(random),
      fault: randomFaults(random, 30, 6),
      client: { random, transport: random() < 0.3 ? "ndjson" : "sse" },
    });
    const turn = session.send("hello");
    const first = collect(turn);
    const second = collect(turn);
    const says = `seed ${seed}`;
    try {
      const frames = await clock.until(first);
      expect(judgeReader(server, frames), says).toEqual([]);
      expect(await second, says).toEqual(frames);
      const again = await clock.until(collect(client.turn(turn.turnId ?? "")));
      expect(judgeReader(server, again), says).toEqual([]);
    } catch (error) {
      throw new Error(says, { cause: error });
    }
    expect(timers.waiting, says).toBe(0);
  }
});

test("the judge finds a frame that is lost, doubled or changed, and a second turn", () => {
  const { server } = setUp();
  const good = server.begin().frames.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(judgeReader(server, good)).toEqual([]);
  expect(judgeReader(server, good.slice(1))).not.toEqual([]);
  expect(judgeReader(server, [...good, good[0]])).not.toEqual([]);
  expect(judgeReader(server, good.with(8, { ...good[8], chunk: "x" }))).not.toEqual([]);
  server.begin();
  expect(judgeReader(server, good)).not.toEqual([]);
});
