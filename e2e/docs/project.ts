// The project that the pages describe, made of their files in a folder of its own.
//   J1. A file stands on one page only: two of a name would make one of the pages wrong.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Finding, Page } from "./page.js";

export const ROOT = join(import.meta.dirname, "../..");

export interface Project {
  readonly folder: string;
  readonly findings: readonly Finding[];
  remove(): void;
}

/** `links`: what stands in the project besides the files of its pages, by path, and where it is. */
export function createProject(pages: readonly Page[], links: Readonly<Record<string, string>> = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), "framerail-docs-"));
  // What an author would have installed.
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path));
  const findings: Finding[] = [];
  const places = new Map<string, string>();
  for (const block of pages.flatMap(({ blocks }) => blocks)) {
    if (block.kind !== "file") continue;
    const { page, line, path, code } = block;
    const other = places.get(path);
    // J1
    if (other !== undefined) findings.push({ page, line, says: `${path} is already at ${other}` });
    places.set(path, `${page}:${line}`);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${code}\n`);
  }
  return { folder, findings, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
