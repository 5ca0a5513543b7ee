import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as BlockPool from "./block-pool.js";
import { BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, POOL_BYTES_MAX, POOL_REST_MS } from "./limits.js";

/** A pool for each test: what turns of other tests left behind is not in it. */
let pool: typeof BlockPool;
const takeBlock = (size: number) => pool.takeBlock(size);
const giveBlock = (block: Buffer) => pool.giveBlock(block);
const lendBlock = (block: Buffer) => pool.lendBlock(block);
beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  pool = await import("./block-pool.js");
});
afterEach(() => {
  vi.useRealTimers();
});

/** How many of these blocks are found again. */
function foundAgain(blocks: readonly Buffer[]): number {
  const memory = new Set(blocks.map(({ buffer }) => buffer));
  return blocks.map(({ length }) => takeBlock(length)).filter(({ buffer }) => memory.has(buffer)).length;
}

const takeMany = (count: number) => Array.from({ length: count }, () => takeBlock(BLOCK_BYTES_MAX));

test("a block that was given back is used again, and is not taken for the one it was [G7]", () => {
  const first = takeBlock(BLOCK_BYTES_MIN);
  giveBlock(first);
  const second = takeBlock(BLOCK_BYTES_MIN);
  expect(second.buffer === first.buffer).toBe(true);
  expect(second === first).toBe(false);
  expect(second.length).toBe(BLOCK_BYTES_MIN);
});

test("a block that somebody still reads is never another's [G7]", () => {
  const block = takeBlock(BLOCK_BYTES_MIN);
  lendBlock(block);
  giveBlock(block);
  expect(takeBlock(BLOCK_BYTES_MIN).buffer === block.buffer).toBe(false);
});

test("a block that is given back twice is one block [G7]", () => {
  const block = takeBlock(BLOCK_BYTES_MIN);
  giveBlock(block);
  giveBlock(block);
  const [one, other] = [takeBlock(BLOCK_BYTES_MIN), takeBlock(BLOCK_BYTES_MIN)];
  expect(one.buffer === other.buffer).toBe(false);
});

test("memory of other sizes, and a part of a larger one, is left to the collector [G7]", () => {
  const odd = takeBlock(BLOCK_BYTES_MIN + 1);
  const part = takeBlock(2 * BLOCK_BYTES_MIN).subarray(0, BLOCK_BYTES_MIN);
  for (const block of [odd, part]) giveBlock(block);
  expect(takeBlock(BLOCK_BYTES_MIN).buffer === part.buffer).toBe(false);
  expect(takeBlock(BLOCK_BYTES_MIN + 1).buffer === odd.buffer).toBe(false);
});

test("at most so much waits to be used again [G8]", () => {
  const fitting = POOL_BYTES_MAX / BLOCK_BYTES_MAX;
  const many = takeMany(fitting + 10);
  for (const block of many) giveBlock(block);
  expect(foundAgain(many)).toBe(fitting);
  // They are taken, so there is room for as many.
  const others = takeMany(fitting);
  for (const block of others) giveBlock(block);
  expect(foundAgain(others)).toBe(fitting);
});

test("what nobody needed for a while is not kept, and what was needed is [G8]", () => {
  const many = takeMany(10);
  for (const block of many) giveBlock(block);
  vi.advanceTimersByTime(POOL_REST_MS);
  // Three are in use and come back; the others nobody asks for.
  for (const block of takeMany(3)) giveBlock(block);
  vi.advanceTimersByTime(POOL_REST_MS);
  expect(foundAgain(many)).toBe(3);
});

test("a process that has nothing more to do keeps nothing [G8]", () => {
  const many = takeMany(10);
  for (const block of many) giveBlock(block);
  vi.advanceTimersByTime(2 * POOL_REST_MS);
  expect(vi.getTimerCount()).toBe(0);
  expect(foundAgain(many)).toBe(0);
});
