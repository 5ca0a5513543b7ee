// The memory that turns write their frames into, used again: what is allocated anew is cleared by the system and counted by the
// collector, which together cost a busy process a fifth of its time.
// Owns: blocks that nobody has. Does not own: when a turn lets go of one (turn-buffer.ts).
//   K1. A block is given back by whoever alone has it. Its bytes are then another turn's, so one that anybody else may still
//       read from is lent, and never comes here: it goes when the collector finds it [G7].
//   K2. Whoever gets a block gets a view of its own: nobody who remembers the last one takes it for the same.
//   K3. At most POOL_BYTES_MAX wait here; the rest is the collector's, and so is what nobody needed for POOL_REST_MS: after a
//       burst a process gets as small as it was.

import { doLater } from "../clock.js";
import { BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, POOL_BYTES_MAX, POOL_REST_MS } from "./limits.js";

/** Blocks of one size that wait. The last one to come is the first to go, so what is not needed lies at the bottom. */
interface Shelf {
  readonly blocks: ArrayBufferLike[];
  /** How few there were since the last look. */
  fewest: number;
}

/** By size; blocks of other sizes are rare, and are not kept. */
const shelves = new Map<number, Shelf>();
for (let size = BLOCK_BYTES_MIN; size <= BLOCK_BYTES_MAX; size *= 2) shelves.set(size, { blocks: [], fewest: 0 });
let freeBytes = 0;
let isWatched = false;

const lent = new WeakSet<Buffer>();

/** A block of so many bytes, which may have anything in them. */
export function takeBlock(size: number): Buffer {
  const shelf = shelves.get(size);
  const memory = shelf?.blocks.pop();
  if (shelf === undefined || memory === undefined) return Buffer.allocUnsafeSlow(size);
  shelf.fewest = Math.min(shelf.fewest, shelf.blocks.length);
  freeBytes -= size;
  // K2
  return Buffer.from(memory);
}

/** Somebody reads from the block for longer than its turn keeps it: a write that the system has not taken yet. */
export function lendBlock(block: Buffer): void {
  lent.add(block);
}

/** Nobody needs the block any more (K1). */
export function giveBlock(block: Buffer): void {
  const size = block.length;
  const shelf = shelves.get(size);
  // A block is all of its memory, or it is not one of ours.
  const isWhole = block.buffer.byteLength === size;
  if (shelf === undefined || !isWhole || lent.has(block) || freeBytes + size > POOL_BYTES_MAX) return;
  // Given twice, it would be two turns'.
  lent.add(block);
  shelf.blocks.push(block.buffer);
  freeBytes += size;
  watch();
}

// K3
function watch(): void {
  if (isWatched) return;
  isWatched = true;
  doLater(POOL_REST_MS, dropUnneeded);
}

function dropUnneeded(): void {
  isWatched = false;
  for (const [size, shelf] of shelves) {
    freeBytes -= shelf.blocks.splice(0, shelf.fewest).length * size;
    shelf.fewest = shelf.blocks.length;
  }
  if (freeBytes > 0) watch();
}
