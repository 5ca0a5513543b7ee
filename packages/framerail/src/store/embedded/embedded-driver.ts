// Postgres inside the process, in a thread of its own, on a folder that no other process has.
// Owns: the order of transactions, and the folder while it is open. Does not own: the thread (thread-line.ts,
// pglite-thread.ts), the lock (folder-lock.ts), what makes a folder sound (data-folder.ts).
//   E1. The database has one session, so transactions run one after the other, in the order they were asked for.
//   E2. A thread that ends takes what waited with it: STORE_UNAVAILABLE, or COMMIT_UNKNOWN where a commit was under way.
//   E3. Every transaction that was begun is ended before the next one: also one whose opening failed.

import { join } from "node:path";
import { FramerailError } from "@framerail/protocol";
import { brokenConnection, storeError } from "../failure.js";
import { WAITING_MAX } from "../limits.js";
import { runScoped, unheardFailure } from "../scoped-sql.js";
import type { Sql, SqlDriver, SqlValue, Statement } from "../sql.js";
import { checkDataFolder } from "./data-folder.js";
import { lockFolder } from "./folder-lock.js";
import type { Question } from "./thread-line.js";
import { ThreadLine } from "./thread-line.js";

export interface EmbeddedOptions {
  /** Holds the database's files and the lock; made where it is missing. */
  readonly folder: string;
  /** The built file of the thread. */
  readonly thread?: URL;
  readonly waitingMax?: number;
}

/** As any driver; and its thread can be ended, which only a test does. */
export interface EmbeddedSqlDriver extends SqlDriver {
  terminate(): Promise<void>;
}

const THREAD = new URL("./pglite-thread.js", import.meta.url);

/** Throws STORE_LOCKED while another process has the folder, STORE_REFUSED when what is in it cannot be opened. */
export async function openEmbeddedDriver(options: EmbeddedOptions): Promise<EmbeddedSqlDriver> {
  const { folder, thread = THREAD, waitingMax = WAITING_MAX } = options;
  const data = join(folder, "postgres");
  const unlock = lockFolder(folder);
  try {
    checkDataFolder(data);
    return new EmbeddedDriver(await openLine(thread, data), unlock, waitingMax);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLine(thread: URL, data: string): Promise<ThreadLine> {
  const line = new ThreadLine(thread, data);
  try {
    await line.opened;
    return line;
  } catch (cause) {
    await line.terminate();
    const says = `the database in ${data} cannot be opened; nothing was changed. Restore the folder, or move it away`;
    throw new FramerailError("STORE_REFUSED", says, { cause });
  }
}

class EmbeddedDriver implements EmbeddedSqlDriver {
  readonly #line: ThreadLine;
  readonly #unlock: () => void;
  readonly #waitingMax: number;
  #tail: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #closed: Promise<void> | undefined;

  constructor(line: ThreadLine, unlock: () => void, waitingMax: number) {
    this.#line = line;
    this.#unlock = unlock;
    this.#waitingMax = waitingMax;
  }

  transaction<T>(opening: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      let result: T;
      try {
        await this.#ask({ kind: "script", text: opening });
        result = await runScoped(this.#sql, work);
      } catch (error) {
        await this.#ask({ kind: "script", text: "rollback" });
        throw error;
      }
      const [end] = await this.#ask<{ command: string }>({ kind: "commit" }, true);
      if (end?.command !== "COMMIT") throw unheardFailure();
      return result;
    });
  }

  once<Row extends object>(opening: string, statement: Statement): Promise<Row[]> {
    return this.#inTurn(() => this.#ask<Row>({ kind: "once", opening, statement }, true));
  }

  close(): Promise<void> {
    this.#closed ??= this.#tail.then(async () => {
      // A thread that is gone has nothing left to close.
      await this.#ask({ kind: "close" }).catch(() => undefined);
      this.#unlock();
    });
    return this.#closed;
  }

  terminate(): Promise<void> {
    return this.#line.terminate();
  }

  readonly #sql: Sql = {
    query: <Row extends object>(text: string, values: readonly SqlValue[] = []) =>
      this.#ask<Row>({ kind: "query", text, values }),
    script: async (text) => void (await this.#ask({ kind: "script", text })),
  };

  // E1
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(brokenConnection(undefined, false));
    if (this.#queued >= this.#waitingMax)
      return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "too many wait for the database"));
    this.#queued += 1;
    const result = this.#tail.then(run);
    const leave = () => {
      this.#queued -= 1;
    };
    this.#tail = result.then(leave, leave);
    return result;
  }

  async #ask<Row extends object>(question: Question, committing = false): Promise<Row[]> {
    try {
      return await this.#line.send<Row>(question);
    } catch (error) {
      throw storeError(error, committing);
    }
  }
}
