import { expect, test } from "vitest";
import { IdleWatch } from "./idle-watch.js";
import { IDLE_MS } from "./limits.js";
import { agentOf, handClock, keepFrames, start, tick } from "./testing/turn-bench.js";

const watchOn = (clock: ReturnType<typeof handClock>) => {
  const fired: number[] = [];
  let heardAt = clock.now();
  const heard = { silentMs: (now: number) => now - heardAt, onIdle: () => void fired.push(clock.now()) };
  const watch = new IdleWatch(heard, clock, 1_000);
  const hear = () => {
    heardAt = clock.now();
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

test("time in which the writer is held back does not count as silence [D-6] [C-6]", async () => {
  const clock = handClock();
  const startedAt = clock.now();
  let [release, silentAt] = [() => {}, 0];
  const sink = { ...keepFrames(), ready: () => new Promise<void>((resolve) => (release = resolve)) };
  const held = agentOf(async ({ writer, signal }) => {
    signal.addEventListener("abort", () => (silentAt = clock.now()));
    await writer.ready();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const { turn } = start(held, { clock, sink, deadlineMs: 20 * IDLE_MS });
  await tick();
  clock.pass(5.5 * IDLE_MS);
  release();
  await tick();
  clock.pass(10 * IDLE_MS);
  expect(await turn.ended).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
  expect(silentAt - startedAt).toBe(6.5 * IDLE_MS);
});

test("a watch that was closed wakes nobody", () => {
  const clock = handClock(10_000);
  const { watch, fired } = watchOn(clock);
  watch.close();
  clock.pass(5_000);
  expect(fired).toEqual([]);
});

test("a clock that was set back makes the wait no longer than one window more", () => {
  const clock = handClock();
  const fired: number[] = [];
  const startedAt = clock.now();
  // The last event came an hour later than now, by the clock as it was.
  const silences = [-3_600_000, 1_000];
  new IdleWatch({ silentMs: () => silences.shift() ?? 0, onIdle: () => void fired.push(clock.now()) }, clock, 1_000);
  clock.pass(3_600_000);
  expect(fired).toEqual([startedAt + 2_000]);
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
