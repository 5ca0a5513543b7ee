import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FRAME_TYPES } from "@framerail/protocol";
import { expect, test } from "vitest";
import { openRegistry } from "./open-registry.js";
import { EXAMPLE, REPOSITORY } from "./testing/registry-folder.js";

const PACKAGE = join(REPOSITORY, "packages/framerail");

/** Files below a folder, without tests and what only tests use. */
function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "testing" ? [] : sourcesBelow(path);
    return /\.test\.ts$/.test(entry.name) ? [] : [path];
  });
}

/** The words that stand in quotes in a file and are names of the vocabulary. */
function namesIn(path: string, names: ReadonlySet<string>): string[] {
  const quoted = readFileSync(path, "utf8").matchAll(/(["'`])(\w+)\1/g);
  return [...new Set([...quoted].flatMap(([, , word = ""]) => (names.has(word) ? [word] : [])))];
}

test("the store has no list of status ids or frame types of its own: what the registry and the wire know is stored [W-ES-1] [W-ES-2]", () => {
  const stored = [...sourcesBelow(join(PACKAGE, "src/store")), ...sourcesBelow(join(PACKAGE, "migrations"))];
  expect(stored.length).toBeGreaterThan(20);
  // One or two are words of something else too: how a turn ended, what an audit row is about. Three are a list.
  const names = new Set<string>(FRAME_TYPES);
  const outcomes = new Set(["completed", "cancelled", "error", "usage"]);
  for (const path of stored)
    expect(namesIn(path, names).filter((name) => !outcomes.has(name)).length, path).toBeLessThan(3);
});

test("no source of the runtime names a status id: they are in the registry alone [W-ES-1] [W-FR-11]", () => {
  const ids = new Set(openRegistry(EXAMPLE).entries.keys());
  expect(ids.size).toBeGreaterThan(5);
  for (const path of sourcesBelow(join(PACKAGE, "src"))) expect(namesIn(path, ids), path).toEqual([]);
});
