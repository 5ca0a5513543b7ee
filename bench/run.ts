// `npm run bench -- NAME [--json FILE]`: runs one bench and prints its table.

import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import type { BenchRow } from "./bench-row.js";
import { benchProtocol } from "./protocol/frames.js";
import { benchPublish } from "./publish/events.js";
import { benchStore, type StoreRow } from "./store/store.js";

const BENCHES: Record<string, () => Promise<(BenchRow | StoreRow)[]>> = {
  protocol: benchProtocol,
  publish: benchPublish,
  store: benchStore,
};

const [name = "", ...rest] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join("|")} [--json FILE]`);
  process.exit(2);
}
console.log(
  `node ${process.version}, ${cpus().length} cores, CPU time of this process; ratios are to the first row of each case\n`,
);
const rows = await bench();
const jsonFile = rest[0] === "--json" ? rest[1] : undefined;
if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
