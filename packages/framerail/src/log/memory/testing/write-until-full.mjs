// A process that writes to a journal until there is no room. Prints how many records were taken, and how the next was refused.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../../../dist/log/memory/journal-file.js";

const folder = process.argv[2];
const journal = openJournal(folder, () => undefined);
const ids = { turnId: "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11", orgId: "6c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11" };
const record = { kind: "frames", ...ids, epoch: 1, firstSeq: 1, count: 1, bytes: Buffer.alloc(7_000, "x") };
for (let written = 0; ; written += 1) {
  try {
    journal.write([record]);
  } catch ({ code }) {
    const [name] = readdirSync(folder).sort();
    console.log(JSON.stringify({ written, code, size: statSync(join(folder, name)).size }));
    break;
  }
}
