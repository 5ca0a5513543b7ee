// The process of one reader: it reads as many answers as it is asked to and tells the CPU nanoseconds that took.

import { answerParent } from "../gateway/child.js";
import type { Asked } from "./asked.js";
import { loadReader } from "./readers/readers.js";

export interface ReadRequest extends Asked {
  readonly times: number;
}

const [name = ""] = process.argv.slice(2);
const read = await loadReader(name);

answerParent<ReadRequest>(async ({ times, ...asked }) => {
  const start = process.cpuUsage();
  for (let time = 0; time < times; time += 1) {
    const pieces = await read(asked);
    if (pieces !== asked.pieces) throw new Error(`${name} was shown ${pieces} of ${asked.pieces} pieces`);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1_000;
});
