// A process that lets objects live for a while, as a server does, and prints how often its whole heap was looked through.
// Argument: "tuned" for one that does what a server does when it starts.

import { constants, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { tuneHeap } from "../tune-heap.js";

const [OBJECTS, LIVING, AT_ONCE] = [4_000_000, 100_000, 5_000];

if (process.argv[2] === "tuned") tuneHeap();
let collections = 0;
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }
});
observer.observe({ entryTypes: ["gc"] });

const living: object[] = [];
for (let made = 0; made < OBJECTS; made += 1) {
  living[made % LIVING] = { made, text: `object ${made}`, next: { made } };
  if (made % AT_ONCE === 0) await setImmediate();
}
await setImmediate();
console.log(collections, living.length);
