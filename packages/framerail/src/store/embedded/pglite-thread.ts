// The thread in which the embedded database runs: a statement there never holds up a frame here.
// Speaks with embedded-driver.ts: one request at a time is answered, in order.
//   T1. A database is made beside its place and moved there when it is whole: who is stopped while it is made starts anew.
//   T2. A database that has crashed is not asked again: after a panic (a log that cannot be written, on a full disk) its
//       next statement never returns. The thread ends, and the folder is opened anew by another.

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite, protocol } from "@electric-sql/pglite";
import type { Statement } from "../sql.js";
import { PARSERS } from "../sql.js";
import { createPreparedStatements, sendWire } from "./prepared-statements.js";

/** The first statement of a transaction brings its opening. */
interface Opening {
  readonly opening?: string | undefined;
}

export type Request =
  | ({ readonly id: number; readonly kind: "query"; readonly statement: Statement } & Opening)
  | ({ readonly id: number; readonly kind: "script"; readonly text: string } & Opening)
  | { readonly id: number; readonly kind: "once"; readonly opening: string; readonly statement: Statement }
  /** Answered by one row, whose `command` is what the database made of it. */
  | { readonly id: number; readonly kind: "commit" }
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
// T1
if (!existsSync(folder) || readdirSync(folder).length === 0) {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  const made = await PGlite.create({ dataDir: draft });
  await made.close();
  renameSync(draft, folder);
}
const database = await PGlite.create({ dataDir: folder, parsers: { ...PARSERS } });
const statements = createPreparedStatements(database);
await runScript("set timezone = 'UTC'");
port.postMessage({ id: 0, rows: [] } satisfies Answer);

async function answer(request: Request): Promise<readonly object[]> {
  switch (request.kind) {
    case "query":
      return statements.query(request.statement, request.opening);
    case "script":
      if (request.opening !== undefined) await runScript(request.opening);
      await runScript(request.text);
      return [];
    case "once":
      return answerOnce(request.opening, request.statement);
    case "commit":
      return [{ command: await commit() }];
    case "close":
      await database.close();
      return [];
  }
}

async function answerOnce(opening: string, statement: Statement): Promise<readonly object[]> {
  try {
    const rows = await statements.query(statement, opening);
    await commit();
    return rows;
  } catch (error) {
    if (!isCrash(error)) await runScript("rollback");
    throw error;
  }
}

async function runScript(text: string): Promise<void> {
  await sendWire(database, protocol.serialize.query(text));
}

/** What the database made of it: a failed transaction is rolled back without an error. */
async function commit(): Promise<string | undefined> {
  const messages = await sendWire(database, protocol.serialize.query("commit"));
  return messages.flatMap((message) => ("text" in message ? [String(message.text)] : [])).at(-1);
}

/** The database's program ended, or said that it would if it could; everything else is an answer. */
function isCrash(error: unknown): boolean {
  const { name, severity } = error as { name?: string; severity?: string };
  return (
    error instanceof WebAssembly.RuntimeError || name === "ExitStatus" || severity === "PANIC" || severity === "FATAL"
  );
}

let last: Promise<void> = Promise.resolve();
port.on("message", (request: Request) => {
  last = last.then(async () => {
    try {
      port.postMessage({ id: request.id, rows: await answer(request) } satisfies Answer);
    } catch (error) {
      // T2: unheard here on purpose, so that the thread ends with it.
      if (isCrash(error)) throw new Error("the embedded database has crashed", { cause: error });
      const { message, code, detail } = error as { message: string; code?: string; detail?: string };
      const told = { message, ...(code !== undefined && { code }), ...(detail !== undefined && { detail }) };
      port.postMessage({ id: request.id, error: told } satisfies Answer);
    }
    if (request.kind === "close") port.close();
  });
});
