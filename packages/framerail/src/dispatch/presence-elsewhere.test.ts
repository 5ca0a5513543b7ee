import { expect, test } from "vitest";
import { PRESENCE_MS_TTL, READ_ELSEWHERE_MS } from "./limits.js";
import { createPresence } from "./presence.js";
import type { Replicas } from "./replicas.js";
import { handClock, tick } from "./testing/turn-bench.js";

const open = (isReadElsewhere: Replicas["isReadElsewhere"]) => {
  const clock = handClock(0);
  const replicas = { isReadElsewhere, announceReaders: () => Promise.resolve() } as unknown as Replicas;
  const presence = createPresence({ clock, replicas });
  const left: number[] = [];
  const watch = (graceMs: number) => presence.watch("turn", graceMs, () => left.push(clock.now()));
  return { clock, presence, left, watch };
};

test("a reader at another process has the whole grace to come back, too [D-9]", async () => {
  let isRead = true;
  const { clock, presence, left, watch } = open(() => Promise.resolve(isRead));
  watch(60_000);
  presence.enter("turn")(); // The caller reconnects, to another process.
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.pass(500);
      await tick();
    }
  };
  await pass(120_000);
  expect(left).toEqual([]);
  // Its connection there breaks: the key is gone after its TTL.
  isRead = false;
  const gone = clock.now();
  await pass(30_000);
  expect(left.map((at) => at - gone)).toEqual([]);
  expect(READ_ELSEWHERE_MS + PRESENCE_MS_TTL).toBeLessThan(60_000);
});

test("a reader that comes and goes while the others are asked has its own grace [D-9]", async () => {
  let answer: (isRead: boolean) => void = () => undefined;
  const { clock, presence, left, watch } = open(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  watch(10_000);
  presence.enter("turn")();
  clock.pass(10_000); // The others are asked; Redis takes its time.
  await tick();
  presence.enter("turn")(); // Meanwhile the reader is back, and drops again.
  answer(false);
  await tick();
  expect(left).toEqual([]);
});
