// Requests to the database's thread, and their answers.
// Owns: the thread and what waits for it. Does not own: transactions (embedded-driver.ts), the other side
// (pglite-thread.ts).
//   H1. What waits when the thread ends is told the bare fact: whether a commit was among it, its sender knows.
//   H2. What comes later is told STORE_UNAVAILABLE: it was never sent.

import { Worker } from "node:worker_threads";
import { FramerailError } from "@framerail/protocol";
import type { Answer, Request } from "./pglite-thread.js";

type WithoutId<R> = R extends unknown ? Omit<R, "id"> : never;
export type Question = WithoutId<Request>;

export class ThreadLine {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(rows: never): void; reject(error: unknown): void }>();
  #last = 0;
  #ended: { readonly cause: unknown } | undefined;

  constructor(thread: URL, folder: string) {
    this.#worker = new Worker(thread, {
      workerData: { folder },
      // What the database prints about itself is for nobody who runs an agent.
      stdout: true,
      stderr: true,
    });
    this.opened = this.#expect(0);
    this.#worker.on("message", (answer: Answer) => this.#settle(answer));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("the thread of the embedded database has ended")));
  }

  send<Row extends object>(question: Question): Promise<Row[]> {
    if (this.#ended !== undefined)
      return Promise.reject(
        new FramerailError("STORE_UNAVAILABLE", "the embedded database has stopped", { cause: this.#ended.cause }),
      );
    this.#last += 1;
    this.#worker.postMessage({ ...question, id: this.#last });
    return this.#expect<Row>(this.#last);
  }

  /** Ends the thread at once, whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
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

  #end(cause: unknown): void {
    this.#ended ??= { cause };
    for (const { reject } of this.#waiting.values()) reject(cause);
    this.#waiting.clear();
  }
}
