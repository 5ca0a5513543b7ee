// `npm run bench -- NAME [--json FILE]`: runs one bench and prints its table. What follows is the bench's own.

import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { BenchRow } from "./bench-row.js";
import { benchClient } from "./client/client.js";
import { benchGateway } from "./gateway/gateway.js";
import type { GatewayRow } from "./gateway/gateway-row.js";
import { benchProtocol } from "./protocol/frames.js";
import { benchPublish } from "./publish/events.js";
import { benchStore, type StoreRow } from "./store/store.js";

type Row = BenchRow | StoreRow | GatewayRow;

const BENCHES: Record<string, (args: readonly string[]) => Promise<Row[]>> = {
  protocol: benchProtocol,
  publish: benchPublish,
  store: benchStore,
  gateway: benchGateway,
  client: benchClient,
};

const [name = "", ...rest] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join("|")} [--json FILE]`);
  process.exit(2);
}
console.log(
  `node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; CPU time of processes; ratios are to the first row of each case\n`,
);
const rows = await bench(rest);
const jsonFile = rest.includes("--json") ? rest[rest.indexOf("--json") + 1] : undefined;
if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
