// Plants every bug of the lists in a copy of the sources, runs the tests that must notice, and fails when one does not.
// `npx tsx tidy/planted/run.ts [WORD]` plants only the bugs whose guard or file holds WORD.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ALL_PLANTS, sourceOf } from "./lists.js";
import type { Plant } from "./plants.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What the tests of the two packages read: the aliases of vitest.config.ts stay inside the copy. */
const COPIED = [
  "PROTOCOL.md",
  "examples",
  "package.json",
  "packages/client/package.json",
  "packages/client/src",
  // Built: the embedded database's thread and the program are run from there.
  "packages/framerail/dist",
  // What translates the files of agents.
  "packages/framerail/hooks",
  "packages/framerail/migrations",
  "packages/framerail/package.json",
  "packages/framerail/src",
  "packages/protocol/package.json",
  "packages/protocol/src",
  "tidy/fixed-seed.ts",
  "tsconfig.base.json",
  "tsconfig.check.json",
  "vitest.config.ts",
];

const testOf = (plant: Plant) => join(sourceOf(plant), plant.test);

function makeCopy(): string {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const copy = mkdtempSync(join(root, ".cache", "planted-"));
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function runTests(copy: string, test: string): boolean {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run", test, "--bail=1"], {
    cwd: copy,
    encoding: "utf8",
    timeout: 180_000,
  });
  return status === 0;
}

/** Whether the tests noticed. A place that is not there exactly once is an error of the list. */
function notices(copy: string, plant: Plant): boolean {
  const path = join(copy, sourceOf(plant), plant.file);
  const original = readFileSync(path, "utf8");
  const places = original.split(plant.find).length - 1;
  if (places !== 1) throw new Error(`"${plant.guard}": its text stands ${places} times in ${plant.file}`);
  writeFileSync(
    path,
    original.replace(plant.find, () => plant.replace),
  );
  const noticed = !runTests(copy, testOf(plant));
  writeFileSync(path, original);
  return noticed;
}

function plantAll(copy: string, chosen: readonly Plant[]): readonly Plant[] {
  for (const test of new Set(chosen.map(testOf))) {
    if (!runTests(copy, test)) throw new Error(`${test} is red before anything was planted`);
  }
  return chosen.filter((plant) => {
    const noticed = notices(copy, plant);
    console.log(`${noticed ? "red  " : "GREEN"}  ${plant.file}: ${plant.guard}`);
    return !noticed;
  });
}

const word = process.argv[2] ?? "";
const chosen = ALL_PLANTS.filter(({ guard, file }) => guard.includes(word) || file.includes(word));
const copy = makeCopy();
try {
  const missed = plantAll(copy, chosen);
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} planted bugs turned their tests red`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
