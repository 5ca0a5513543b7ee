// The files of a journal, in a folder of its own.
// Owns: their names, their numbers, which of them wait to be used again. Does not own: when one is full or needed no more
// (journal-file.ts), what stands in them (journal-record.ts).
//   D1. A file's number is larger than all before it, also when the file itself has had another one: what stands in it from
//       then is known by its number, and not believed.
//   D2. A file that is needed no more waits to be the next one, with its room on the disk and its pages in the system's
//       memory: a write to fresh ones costs up to ten times as much. At most JOURNAL_SPARES_MAX wait, closed, and none
//       outlives the process; the rest is removed.

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JOURNAL_SPARES_MAX } from "../limits.js";

/** Open, under its number. */
export interface NumberedFile {
  readonly number: number;
  readonly path: string;
  readonly descriptor: number;
}

const NAME = /^journal-(\d{8})\.log$/;
const SPARE_NAME = /^spare-\d{8}\.log$/;

export class JournalFolder {
  readonly #folder: string;
  readonly #spares: string[] = [];
  #latest = 0;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** What earlier processes left, oldest first. */
  open(): NumberedFile[] {
    const names = readdirSync(this.#folder);
    // D2
    for (const name of names) if (SPARE_NAME.test(name)) rmSync(join(this.#folder, name), { force: true });
    const numbers = names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
    const files = numbers.sort((a, b) => a - b).map((number) => this.#openFile(number));
    this.#latest = numbers.at(-1) ?? 0;
    return files;
  }

  /** A file to write to, from its beginning on; it may have anything in it. */
  next(): NumberedFile {
    const number = this.#latest + 1;
    const spare = this.#spares.pop();
    if (spare !== undefined) renameSync(spare, this.#pathOf("journal", number));
    const file = this.#openFile(number);
    // D1
    this.#latest = number;
    return file;
  }

  /** Nobody needs the file any more (D2). */
  release({ number, path, descriptor }: NumberedFile): void {
    closeSync(descriptor);
    try {
      if (this.#spares.length >= JOURNAL_SPARES_MAX) rmSync(path, { force: true });
      else this.#spares.push(this.#setAside(path, number));
    } catch {
      // Nobody needs it, so nobody fails: it stays where it is, for the next process.
    }
  }

  close(): void {
    for (const spare of this.#spares.splice(0)) rmSync(spare, { force: true });
  }

  #pathOf(kind: "journal" | "spare", number: number): string {
    return join(this.#folder, `${kind}-${String(number).padStart(8, "0")}.log`);
  }

  #setAside(path: string, number: number): string {
    const spare = this.#pathOf("spare", number);
    renameSync(path, spare);
    return spare;
  }

  #openFile(number: number): NumberedFile {
    const path = this.#pathOf("journal", number);
    return { number, path, descriptor: openSync(path, existsSync(path) ? "r+" : "w+") };
  }
}
