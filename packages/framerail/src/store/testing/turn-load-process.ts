// A process that plays turns on a store until it is killed. Says each act in a line of its own, once it is acknowledged.

import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createDatabase } from "../database.js";
import { openEmbeddedDriver } from "../embedded/embedded-driver.js";
import { createPostgresDriver } from "../postgres/postgres-driver.js";
import { THREAD } from "./thread.js";
import { playTurn } from "./turn-load.js";

const [where = ""] = process.argv.slice(2);
const driver = where.startsWith("postgres:")
  ? createPostgresDriver({ url: where })
  : await openEmbeddedDriver({ folder: where, thread: THREAD });
const database = createDatabase(driver);
const orgId = randomUUID();
await database.asTenant(orgId, { text: "insert into organizations (id) values ($1)", values: [orgId] });
for (;;) await playTurn(database, orgId, (act, org, turnId) => void writeSync(1, `${act} ${org} ${turnId}\n`));
