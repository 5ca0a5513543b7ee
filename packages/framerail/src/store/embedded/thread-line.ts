// Requests to the database's thread, and their answers.
// Owns: the thread and what waits for it. Does not own: transactions (embedded-driver.ts), the other side
// (pglite-thread.ts).
//   H1. What waits when the thread ends is told the bare fact: whether a commit was among it, its sender knows.
//   H2. What comes later is told STORE_UNAVAILABLE: it was never sent.
//   H3. A thread that does not answer in time is ended: nothing else stops a statement in it.

import { Worker } from "node:worker_threads";
import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { Answer, Request } from "./pglite-thread.js";

type WithoutId<R> = R extends unknown ? Omit<R, "id"> : never;
export type Question = WithoutId<Request>;

export interface LineOptions {
  readonly thread: URL;
  /** The database's own. */
  readonly folder: string;
  readonly clock: Clock;
  readonly answerMsMax: number;
}

/** With a log to read again after a crash, opening takes long. */
const OPEN_MS_MAX = 300_000;

interface Waiting {
  resolve(rows: never): void;
  reject(error: unknown): void;
  cancelTimer(): void;
}

export class ThreadLine {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #options: LineOptions;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: { readonly cause: unknown } | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#worker = new Worker(options.thread, {
      workerData: { folder: options.folder },
      // What the database prints about itself is for nobody who runs an agent.
      stdout: true,
      stderr: true,
    });
    this.opened = this.#expect(0, OPEN_MS_MAX);
    this.#worker.on("message", (answer: Answer) => this.#settle(answer));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("the thread of the embedded database has ended")));
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  send<Row extends object>(question: Question): Promise<Row[]> {
    if (this.#ended !== undefined)
      return Promise.reject(
        new FramerailError("STORE_UNAVAILABLE", "the embedded database has stopped", { cause: this.#ended.cause }),
      );
    this.#last += 1;
    this.#worker.postMessage({ ...question, id: this.#last });
    return this.#expect<Row>(this.#last, this.#options.answerMsMax);
  }

  /** Ends the thread at once, whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #expect<Row extends object>(id: number, msMax: number): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const cancelTimer = this.#options.clock.schedule(msMax, () => void this.terminate());
      this.#waiting.set(id, { resolve, reject, cancelTimer });
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    waiting?.cancelTimer();
    if ("rows" in answer) waiting?.resolve(answer.rows as never);
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error));
  }

  #end(cause: unknown): void {
    this.#ended ??= { cause };
    for (const { reject, cancelTimer } of this.#waiting.values()) {
      cancelTimer();
      reject(cause);
    }
    this.#waiting.clear();
  }
}
