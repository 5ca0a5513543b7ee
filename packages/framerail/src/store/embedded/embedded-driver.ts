// Postgres inside the process, in a thread of its own, on a folder that no other process has.
// Owns: the order of transactions, and the folder while it is open. Does not own: the thread (thread-line.ts,
// pglite-thread.ts), the lock (folder-lock.ts), what makes a folder sound (data-folder.ts).
//   E1. The database has one session, so transactions run one after the other, in the order they were asked for.
//   E2. A thread that ends takes what waited with it: STORE_UNAVAILABLE, or COMMIT_UNKNOWN where a commit was under way.
//       The next transaction opens the folder again, as the next process would.
//   E3. Every transaction that was begun is ended before the next one: also one whose opening failed.
//   E4. A transaction is opened by its first statement, in one message: each way to the thread and back costs time in
//       which the database, which everybody waits for, does nothing.
//   E5. A transaction that asks for nothing for as long as a statement may take is rolled back, as a server does it.

import { join } from "node:path";
import type { Clock } from "@framerail/protocol";
import { FramerailError, systemClock } from "@framerail/protocol";
import { brokenConnection, storeError } from "../failure.js";
import { STATEMENT_MS_MAX, WAITING_MAX } from "../limits.js";
import { runScoped, unheardFailure } from "../scoped-sql.js";
import type { Scope, Sql, SqlDriver, SqlValue, Statement } from "../sql.js";
import { beginOf } from "../sql.js";
import { checkDataFolder } from "./data-folder.js";
import { lockFolder } from "./folder-lock.js";
import { createIdleLimit } from "./idle-limit.js";
import type { LineOptions, Question } from "./thread-line.js";
import { ThreadLine } from "./thread-line.js";

export interface EmbeddedOptions {
  /** Holds the database's files and the lock; made where it is missing. */
  readonly folder: string;
  /** The built file of the thread. */
  readonly thread?: URL;
  readonly waitingMax?: number;
  /** A statement that takes longer costs the thread; a transaction that asks for nothing that long is rolled back. */
  readonly statementMsMax?: number;
  readonly clock?: Clock;
}

/** As any driver; and its thread can be ended, which only a test does. */
export interface EmbeddedSqlDriver extends SqlDriver {
  terminate(): Promise<void>;
}

const THREAD = new URL("./pglite-thread.js", import.meta.url);

/** Throws STORE_LOCKED while another process has the folder, STORE_REFUSED when what is in it cannot be opened. */
export async function openEmbeddedDriver(options: EmbeddedOptions): Promise<EmbeddedSqlDriver> {
  const { thread = THREAD, statementMsMax = STATEMENT_MS_MAX, clock = systemClock } = options;
  const folder = join(options.folder, "postgres");
  const open = () => openLine({ thread, folder, clock, answerMsMax: statementMsMax });
  const unlock = lockFolder(options.folder);
  try {
    checkDataFolder(folder);
    const { waitingMax = WAITING_MAX } = options;
    return new EmbeddedDriver({ open, line: await open(), unlock, waitingMax, clock, idleMsMax: statementMsMax });
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLine(options: LineOptions): Promise<ThreadLine> {
  const line = new ThreadLine(options);
  try {
    await line.opened;
    return line;
  } catch (cause) {
    await line.terminate();
    const says = `the database in ${options.folder} cannot be opened; nothing was changed. Restore the folder, or move it away`;
    throw new FramerailError("STORE_REFUSED", says, { cause });
  }
}

interface Opened {
  open(): Promise<ThreadLine>;
  readonly line: ThreadLine;
  unlock(): void;
  readonly waitingMax: number;
  readonly clock: Clock;
  readonly idleMsMax: number;
}

class EmbeddedDriver implements EmbeddedSqlDriver {
  readonly #opened: Opened;
  #line: ThreadLine;
  #tail: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #closed: Promise<void> | undefined;

  constructor(opened: Opened) {
    this.#opened = opened;
    this.#line = opened.line;
  }

  transaction<T>(scope: Scope, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      // E4
      let unopened: string | undefined = beginOf(scope);
      const open = () => {
        const text = unopened;
        unopened = undefined;
        return { opening: text };
      };
      const idle = createIdleLimit(this.#opened.clock, this.#opened.idleMsMax);
      const sql: Sql = {
        query: <Row extends object>(text: string, values: readonly SqlValue[] = []) =>
          idle.during(() => this.#ask<Row>({ kind: "query", statement: { text, values }, ...open() })),
        script: async (text) => void (await idle.during(() => this.#ask({ kind: "script", text, ...open() }))),
      };
      let result: T;
      try {
        result = await runScoped(sql, (scoped) => idle.over(work(scoped)));
      } catch (error) {
        if (unopened === undefined) await this.#ask({ kind: "script", text: "rollback" });
        throw error;
      }
      if (unopened !== undefined) return result;
      const [end] = await this.#ask<{ command: string }>({ kind: "commit" }, true);
      if (end?.command !== "COMMIT") throw unheardFailure();
      return result;
    });
  }

  once<Row extends object>(scope: Scope, statement: Statement): Promise<Row[]> {
    return this.#inTurn(() => this.#ask<Row>({ kind: "once", opening: beginOf(scope), statement }, true));
  }

  close(): Promise<void> {
    this.#closed ??= this.#tail.then(async () => {
      // A thread that is gone has nothing left to close.
      await this.#ask({ kind: "close" }).catch(() => undefined);
      this.#opened.unlock();
    });
    return this.#closed;
  }

  terminate(): Promise<void> {
    return this.#line.terminate();
  }

  // E1
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(brokenConnection(undefined, false));
    if (this.#queued >= this.#opened.waitingMax)
      return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "too many wait for the database"));
    this.#queued += 1;
    const result = this.#tail.then(() => this.#reopen()).then(run);
    const leave = () => {
      this.#queued -= 1;
    };
    this.#tail = result.then(leave, leave);
    return result;
  }

  // E2
  async #reopen(): Promise<void> {
    if (!this.#line.hasEnded) return;
    await this.#line.terminate();
    try {
      this.#line = await this.#opened.open();
    } catch (cause) {
      throw brokenConnection(cause, false);
    }
  }

  async #ask<Row extends object>(question: Question, committing = false): Promise<Row[]> {
    try {
      return await this.#line.send<Row>(question);
    } catch (error) {
      throw storeError(error, committing);
    }
  }
}
