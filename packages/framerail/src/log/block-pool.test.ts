import { expect, test } from "vitest";
import { giveBlock, lendBlock, takeBlock } from "./block-pool.js";
import { BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, POOL_BYTES_MAX } from "./limits.js";

/** Everything of this size that waits, so that a test has only its own. */
function drain(size: number): void {
  for (let left = POOL_BYTES_MAX / size; left > 0; left -= 1) takeBlock(size);
}

test("a block that was given back is used again, and is not taken for the one it was [G7]", () => {
  drain(BLOCK_BYTES_MIN);
  const first = takeBlock(BLOCK_BYTES_MIN);
  giveBlock(first);
  const second = takeBlock(BLOCK_BYTES_MIN);
  expect(second.buffer === first.buffer).toBe(true);
  expect(second === first).toBe(false);
  expect(second.length).toBe(BLOCK_BYTES_MIN);
});

test("a block that somebody still reads is never another's [G7]", () => {
  drain(BLOCK_BYTES_MIN);
  const block = takeBlock(BLOCK_BYTES_MIN);
  lendBlock(block);
  giveBlock(block);
  expect(takeBlock(BLOCK_BYTES_MIN).buffer === block.buffer).toBe(false);
});

test("a block that is given back twice is one block [G7]", () => {
  drain(BLOCK_BYTES_MIN);
  const block = takeBlock(BLOCK_BYTES_MIN);
  giveBlock(block);
  giveBlock(block);
  const [one, other] = [takeBlock(BLOCK_BYTES_MIN), takeBlock(BLOCK_BYTES_MIN)];
  expect(one.buffer === other.buffer).toBe(false);
});

test("memory of other sizes, and a part of a larger one, is left to the collector [G7]", () => {
  drain(BLOCK_BYTES_MIN);
  const odd = takeBlock(BLOCK_BYTES_MIN + 1);
  const part = takeBlock(2 * BLOCK_BYTES_MIN).subarray(0, BLOCK_BYTES_MIN);
  for (const block of [odd, part]) giveBlock(block);
  expect(takeBlock(BLOCK_BYTES_MIN).buffer === part.buffer).toBe(false);
  expect(takeBlock(BLOCK_BYTES_MIN + 1).buffer === odd.buffer).toBe(false);
});

test("at most so much waits to be used again [G8]", () => {
  drain(BLOCK_BYTES_MAX);
  const many = Array.from({ length: POOL_BYTES_MAX / BLOCK_BYTES_MAX + 10 }, () => takeBlock(BLOCK_BYTES_MAX));
  for (const block of many) giveBlock(block);
  const memory = new Set(many.map(({ buffer }) => buffer));
  const again = many.map(() => takeBlock(BLOCK_BYTES_MAX)).filter(({ buffer }) => memory.has(buffer));
  expect(again.length).toBeLessThanOrEqual(POOL_BYTES_MAX / BLOCK_BYTES_MAX);
  expect(again.length).toBeGreaterThan(POOL_BYTES_MAX / BLOCK_BYTES_MAX / 2);
});
