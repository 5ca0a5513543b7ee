// Postgres inside the process, in a thread of its own, on a folder that no other process has.
// Owns: the thread, the order of transactions, the folder's lock. Does not own: the thread's side (pglite-thread.ts).
//   E1. The database has one session, so transactions run one after the other, in the order they were asked for.
//   E2. A thread that ends takes what waited with it: STORE_UNAVAILABLE, or COMMIT_UNKNOWN where a commit was under way.

import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import { brokenConnection, isRefusal } from "../failure.js";
import { WAITING_MAX } from "../limits.js";
import type { Sql, SqlDriver, SqlValue, Statement } from "../sql.js";
import { lockFolder } from "./folder-lock.js";
import type { Answer, Request } from "./pglite-thread.js";

export interface EmbeddedOptions {
  /** Holds the database's files and the lock; made where it is missing. */
  readonly folder: string;
  /** The built file of the thread. */
  readonly thread?: URL;
}

type WithoutId<R> = R extends unknown ? Omit<R, "id"> : never;

/** Throws STORE_LOCKED while another process has the folder, STORE_REFUSED when what is in it cannot be opened. */
export async function openEmbeddedDriver({ folder, thread }: EmbeddedOptions): Promise<SqlDriver> {
  const unlock = lockFolder(folder);
  const worker = new Worker(thread ?? new URL("./pglite-thread.js", import.meta.url), {
    workerData: { folder: join(folder, "postgres") },
    // What the database prints about itself is for nobody who runs an agent.
    stdout: true,
    stderr: true,
  });
  const line = new ThreadLine(worker);
  try {
    await line.opened;
  } catch (cause) {
    unlock();
    throw new FramerailError(
      "STORE_REFUSED",
      `the database in ${folder} cannot be opened; nothing was changed. Restore the folder, or move it away to start anew`,
      { cause },
    );
  }
  return new EmbeddedDriver(line, unlock);
}

/** Requests to the thread and their answers. */
class ThreadLine {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(rows: never): void; reject(error: unknown): void }>();
  #last = 0;
  #ended: unknown;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.opened = this.#expect(0);
    worker.on("message", (answer: Answer) => this.#settle(answer));
    worker.on("error", (error) => this.#end(error));
    worker.on("exit", () => this.#end(new FramerailError("STORE_UNAVAILABLE", "the embedded database has stopped")));
  }

  send<Row extends object>(request: WithoutId<Request>): Promise<Row[]> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#last += 1;
    const answer = this.#expect<Row>(this.#last);
    this.#worker.postMessage({ ...request, id: this.#last });
    return answer;
  }

  #expect<Row extends object>(id: number): Promise<Row[]> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("rows" in answer) waiting?.resolve(answer.rows as never);
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error));
  }

  #end(error: unknown): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

class EmbeddedDriver implements SqlDriver {
  readonly #line: ThreadLine;
  readonly #unlock: () => void;
  #tail: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #closed: Promise<void> | undefined;

  constructor(line: ThreadLine, unlock: () => void) {
    this.#line = line;
    this.#unlock = unlock;
  }

  transaction<T>(opening: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#ask({ kind: "script", text: opening });
      let result: T;
      try {
        result = await work(this.#sql);
      } catch (error) {
        await this.#ask({ kind: "script", text: "rollback" });
        throw error;
      }
      await this.#ask({ kind: "script", text: "commit" }, true);
      return result;
    });
  }

  once<Row extends object>(opening: string, statement: Statement): Promise<Row[]> {
    return this.#inTurn(() => this.#ask<Row>({ kind: "once", opening, statement }, true));
  }

  close(): Promise<void> {
    this.#closed ??= this.#tail.then(async () => {
      await this.#ask({ kind: "close" }).catch(() => undefined);
      this.#unlock();
    });
    return this.#closed;
  }

  readonly #sql: Sql = {
    query: <Row extends object>(text: string, values: readonly SqlValue[] = []) =>
      this.#ask<Row>({ kind: "query", text, values }),
    script: async (text) => void (await this.#ask({ kind: "script", text })),
  };

  // E1
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(brokenConnection(undefined, false));
    if (this.#queued >= WAITING_MAX)
      return Promise.reject(new FramerailError("STORE_UNAVAILABLE", "too many wait for the database"));
    this.#queued += 1;
    const result = this.#tail.then(run);
    const leave = () => {
      this.#queued -= 1;
    };
    this.#tail = result.then(leave, leave);
    return result;
  }

  async #ask<Row extends object>(request: WithoutId<Request>, committing = false): Promise<Row[]> {
    try {
      return await this.#line.send<Row>(request);
    } catch (error) {
      throw isRefusal(error) || isFramerailError(error) ? error : brokenConnection(error, committing);
    }
  }
}
