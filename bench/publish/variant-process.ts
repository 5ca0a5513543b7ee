// The process of one variant: for every number it is sent it does the work so many times and answers with the CPU
// nanoseconds that took. Ends when its parent lets go of it.

import { measureHere } from "../alternate.js";
import { VARIANTS } from "./events.js";

const name = process.argv[2];
const variant = VARIANTS.find((one) => one.name === name);
if (variant === undefined) throw new Error(`there is no variant called ${String(name)}`);

process.on("message", (times: number) => {
  void measureHere(variant, times).then((cpuNs) => process.send?.(cpuNs));
});
