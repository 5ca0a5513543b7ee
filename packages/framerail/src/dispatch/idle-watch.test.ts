import { expect, test } from "vitest";
import { IdleWatch } from "./idle-watch.js";
import { IDLE_MS } from "./limits.js";
import { agentOf, handClock, start, tick } from "./testing/turn-bench.js";

const watchOn = (clock: ReturnType<typeof handClock>) => {
  const fired: number[] = [];
  const heard = { heardAt: 0, onIdle: () => void fired.push(clock.now()) };
  const watch = new IdleWatch(heard, clock, 1_000);
  const hear = () => {
    heard.heardAt = clock.now();
  };
  return { watch, hear, fired };
};

test("silence is noticed to the millisecond after the last event, with one timer whatever is heard [W-NFR-6]", () => {
  const clock = handClock(0);
  const { hear, fired } = watchOn(clock);
  for (let ms = 0; ms < 5_000; ms += 7) {
    hear();
    clock.pass(7);
    expect(clock.waiting).toBe(1);
  }
  const last = clock.now() - 7;
  clock.pass(10_000);
  expect(fired).toEqual([last + 1_000]);
  expect(clock.waiting).toBe(0);
});

test("time in which the writer is held back does not count as silence [D-6]", async () => {
  const clock = handClock(0);
  const { watch, fired } = watchOn(clock);
  let release = () => {};
  const held = watch.whileHeld(new Promise((resolve) => (release = resolve)));
  clock.pass(5_000);
  expect(fired).toEqual([]);
  release();
  await held;
  clock.pass(999);
  expect(fired).toEqual([]);
  clock.pass(1);
  expect(fired).toEqual([6_000]);
});

test("a watch that was closed, and a clock that was set back, wake nobody", () => {
  const clock = handClock(10_000);
  const { watch, fired } = watchOn(clock);
  watch.close();
  clock.pass(5_000);
  expect(fired).toEqual([]);
});

test("an agent that says nothing for a minute is cancelled by us, and its own end, later, is dropped [W-FR-9b] [W-CAN-2] [C-23] [W-NFR-6] [D-19]", async () => {
  expect(IDLE_MS).toBe(60_000);
  const clock = handClock();
  let finish = () => {};
  const silent = agentOf(async ({ writer }) => {
    writer.text("Hello");
    await new Promise<void>((resolve) => (finish = resolve));
    writer.text("too late");
  });
  const { turn, sink, reports } = start(silent, { clock });
  await tick();
  clock.pass(IDLE_MS - 1);
  expect(sink.types()).toEqual(["response_id", "text"]);
  clock.pass(1);
  finish();
  expect(await turn.ended).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
  expect(sink.types()).toEqual(["response_id", "text", "cancelled"]);
  expect(reports).toMatchObject([{ kind: "late", event_type: "text" }]);
  expect(clock.waiting).toBe(0);
});
