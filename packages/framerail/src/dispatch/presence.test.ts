import { expect, test } from "vitest";
import { FIRST_READER_MS, PRESENCE_MS, READ_ELSEWHERE_MS } from "./limits.js";
import { createPresence } from "./presence.js";
import type { Replicas } from "./replicas.js";
import { handClock, tick } from "./testing/turn-bench.js";

const open = (replicas?: Partial<Replicas>) => {
  const clock = handClock(0);
  const errors: unknown[] = [];
  const presence = createPresence({
    clock,
    replicas: replicas as Replicas | undefined,
    report: (error) => errors.push(error),
  });
  const left: number[] = [];
  const watch = (graceMs: number) => presence.watch("turn", graceMs, () => left.push(clock.now()));
  return { clock, presence, left, watch, errors };
};

test("a turn is left when its last reader has been gone for the grace, and not before [D-9] [G5]", async () => {
  const { clock, presence, left, watch } = open();
  watch(10_000);
  const [first, second] = [presence.enter("turn"), presence.enter("turn")];
  clock.pass(60_000);
  first();
  first();
  clock.pass(60_000);
  expect(left).toEqual([]);
  second();
  clock.pass(9_999);
  const third = presence.enter("turn");
  clock.pass(60_000);
  expect(left).toEqual([]);
  third();
  clock.pass(10_000);
  await tick();
  expect(left).toEqual([199_999]);
  expect(clock.waiting).toBe(0);
});

test("without a grace a turn is left in the tick in which its reader goes [D-9]", () => {
  const { presence, left, watch } = open();
  const leave = presence.enter("turn");
  watch(0);
  leave();
  expect(left).toEqual([0]);
});

test("a turn whose caller never comes to read it is left too, after the time it has to come [D-9]", async () => {
  const { clock, left, watch } = open();
  watch(0);
  clock.pass(FIRST_READER_MS - 1);
  expect(left).toEqual([]);
  clock.pass(1);
  await tick();
  expect(left).toEqual([FIRST_READER_MS]);
});

test("a turn that has ended is watched no more", () => {
  const { clock, presence, left, watch } = open();
  const unwatch = watch(100);
  presence.enter("turn")();
  unwatch();
  clock.pass(10_000);
  expect(left).toEqual([]);
  expect(clock.waiting).toBe(0);
});

test("a reader at another process keeps the turn, as does another process that cannot be asked [D-9]", async () => {
  const answers: (() => Promise<boolean>)[] = [
    () => Promise.resolve(true),
    () => Promise.reject(new Error("away")),
    () => Promise.resolve(false),
  ];
  const { clock, presence, left, watch, errors } = open({
    isReadElsewhere: () => (answers.shift() as () => Promise<boolean>)(),
    announceReaders: () => Promise.resolve(),
  });
  watch(100);
  presence.enter("turn")();
  for (const ms of [100, READ_ELSEWHERE_MS, READ_ELSEWHERE_MS]) {
    expect(left).toEqual([]);
    clock.pass(ms);
    await tick();
  }
  expect(left).toEqual([100 + 2 * READ_ELSEWHERE_MS]);
  expect(errors).toEqual([new Error("away")]);
});

test("others are told of readers on their turns, at once and for as long as they read [D-9]", () => {
  const told: (readonly string[])[] = [];
  const { clock, presence, watch } = open({
    announceReaders: async (turnIds) => void told.push(turnIds),
    isReadElsewhere: () => Promise.resolve(false),
  });
  watch(100);
  presence.enter("turn");
  const leave = presence.enter("another's");
  expect(told).toEqual([["another's"]]);
  clock.pass(PRESENCE_MS);
  expect(told).toEqual([["another's"], ["another's"]]);
  leave();
  clock.pass(3 * PRESENCE_MS);
  expect(told).toHaveLength(2);
  presence.close();
  expect(clock.waiting).toBe(0);
});
