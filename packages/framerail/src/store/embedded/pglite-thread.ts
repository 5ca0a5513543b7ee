// The thread in which the embedded database runs: a statement there never holds up a frame here.
// Speaks with embedded-driver.ts: one request at a time is answered, in order.
//   T1. A database is made beside its place and moved there when it is whole: who is stopped while it is made starts anew.
//   T2. A database that has crashed is not asked again: after a panic (a log that cannot be written, on a full disk) its
//       next statement never returns. The thread ends, and the folder is opened anew by another.

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite, protocol } from "@electric-sql/pglite";
import type { SqlValue, Statement } from "../sql.js";
import { PARSERS } from "../sql.js";

export type Request =
  | { readonly id: number; readonly kind: "query"; readonly text: string; readonly values: readonly SqlValue[] }
  | { readonly id: number; readonly kind: "script"; readonly text: string }
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
    case "commit":
      return commit();
    case "close":
      await database.close();
      return [];
  }
}

async function answerOnce(opening: string, { text, values = [] }: Statement): Promise<readonly object[]> {
  try {
    await database.exec(opening);
    const { rows } = await database.query<object>(text, [...values]);
    await database.exec("commit");
    return rows;
  } catch (error) {
    if (!isCrash(error)) await database.exec("rollback");
    throw error;
  }
}

/** By the wire's own messages, because only they tell a commit from the rollback of a failed transaction. */
async function commit(): Promise<readonly object[]> {
  const { messages } = await database.execProtocol(protocol.serialize.query("commit"));
  return messages.flatMap((message) => ("text" in message ? [{ command: message.text }] : []));
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
