// The thread in which the embedded database runs: a statement there never holds up a frame here.
// Speaks with embedded-driver.ts: one request at a time is answered, in order.

import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import type { SqlValue, Statement } from "../sql.js";
import { PARSERS } from "../sql.js";

export type Request =
  | { readonly id: number; readonly kind: "query"; readonly text: string; readonly values: readonly SqlValue[] }
  | { readonly id: number; readonly kind: "script"; readonly text: string }
  | { readonly id: number; readonly kind: "once"; readonly opening: string; readonly statement: Statement }
  | { readonly id: number; readonly kind: "close" };

/** `code` is the database's own, where it refused. */
export type Answer =
  | { readonly id: number; readonly rows: readonly object[] }
  | {
      readonly id: number;
      readonly error: { readonly message: string; readonly code?: string; readonly detail?: string };
    };

const port = parentPort;
if (port === null) throw new Error("this file is run by a worker thread");

const { folder } = workerData as { folder: string };
const database = await PGlite.create({ dataDir: folder, parsers: { ...PARSERS } });
await database.exec("set timezone = 'UTC'");
port.postMessage({ id: 0, rows: [] } satisfies Answer);

async function answer(request: Request): Promise<readonly object[]> {
  switch (request.kind) {
    case "query":
      return (await database.query<object>(request.text, [...request.values])).rows;
    case "script":
      await database.exec(request.text);
      return [];
    case "once":
      return answerOnce(request.opening, request.statement);
    case "close":
      await database.close();
      return [];
  }
}

async function answerOnce(opening: string, { text, values = [] }: Statement): Promise<readonly object[]> {
  await database.exec(opening);
  try {
    const { rows } = await database.query<object>(text, [...values]);
    await database.exec("commit");
    return rows;
  } catch (error) {
    await database.exec("rollback");
    throw error;
  }
}

let last: Promise<void> = Promise.resolve();
port.on("message", (request: Request) => {
  last = last.then(async () => {
    try {
      port.postMessage({ id: request.id, rows: await answer(request) } satisfies Answer);
    } catch (error) {
      const { message, code, detail } = error as { message: string; code?: string; detail?: string };
      const told = { message, ...(code !== undefined && { code }), ...(detail !== undefined && { detail }) };
      port.postMessage({ id: request.id, error: told } satisfies Answer);
    }
    if (request.kind === "close") port.close();
  });
});
