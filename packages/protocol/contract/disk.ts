// The repository on disk, for the generator and for the test that does the same check.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import * as limits from "../src/limits.js";
import type { Sources } from "./generated-files.js";
import { limitsTable } from "./limits-table.js";
import { PUBLISHED } from "./published.js";

const ROOT = new URL("../../../", import.meta.url);

export function readFromDisk(path: string): string | undefined {
  const file = fileURLToPath(new URL(path, ROOT));
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

export function writeToDisk(path: string, text: string): void {
  const file = fileURLToPath(new URL(path, ROOT));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

export function sourcesOnDisk(): Sources {
  const source = readFromDisk("packages/protocol/src/limits.ts") ?? "";
  return { contract: PUBLISHED, limits: limitsTable(limits, source), read: readFromDisk };
}
