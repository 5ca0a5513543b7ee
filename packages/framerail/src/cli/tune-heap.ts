// How often this process looks through its whole heap. A server keeps little for itself, and by its own rules V8 lets a small
// heap, or one that was quiet a while ago, grow by a few megabytes between two looks, of which the bytes that go to sockets
// and to Redis count as much as objects do: with Redis that was up to fourteen looks a second, and half of all CPU.
//   H1. The heap may always grow as much as V8 ever lets one grow, to four times what was found alive; its maximum stays.
//   H2. Whoever has set it for the process (NODE_OPTIONS does not take it) knows better.

import { setFlagsFromString } from "node:v8";

const FLAG = "--heap-growing-percent";
const PERCENT = 300;

export function tuneHeap(given: readonly string[] = process.execArgv): void {
  // H2
  if (!given.some((option) => option.replaceAll("_", "-").includes(FLAG))) setFlagsFromString(`${FLAG}=${PERCENT}`);
}
