// Plants every bug of plants.ts in a copy of the sources, runs the tests that must notice, and fails when one does not.
// `npx tsx tidy/planted/run.ts [WORD]` plants only the bugs whose guard or file holds WORD.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plant } from "./plants.js";
import { PLANTS } from "./plants.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const copy = join(root, ".cache", "planted");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");

function prepareCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  cpSync(join(root, "packages", "protocol", "src"), join(copy, "src"), { recursive: true });
  writeFileSync(
    join(copy, "vitest.config.ts"),
    'export default { test: { include: ["src/**/*.test.ts"], testTimeout: 20_000 } };\n',
  );
}

function runTests(file: string): boolean {
  const { status } = spawnSync(process.execPath, [vitest, "run", `src/${file}`, "--root", copy, "--bail=1"], {
    encoding: "utf8",
    timeout: 180_000,
  });
  return status === 0;
}

/** Whether the tests noticed. A place that is not there exactly once is an error of the list. */
function plant({ file, find, replace, test, guard }: Plant): boolean {
  const path = join(copy, "src", file);
  const original = readFileSync(path, "utf8");
  const places = original.split(find).length - 1;
  if (places !== 1) throw new Error(`"${guard}": its text stands ${places} times in ${file}`);
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  const noticed = !runTests(test);
  writeFileSync(path, original);
  return noticed;
}

prepareCopy();
const word = process.argv[2] ?? "";
const chosen = PLANTS.filter(({ guard, file }) => guard.includes(word) || file.includes(word));
for (const test of new Set(chosen.map((one) => one.test))) {
  if (!runTests(test)) throw new Error(`${test} is red before anything was planted`);
}
const missed = chosen.filter((one) => {
  const noticed = plant(one);
  console.log(`${noticed ? "red  " : "GREEN"}  ${one.file}: ${one.guard}`);
  return !noticed;
});
console.log(`\n${chosen.length - missed.length} of ${chosen.length} planted bugs turned their tests red`);
process.exitCode = missed.length === 0 ? 0 : 1;
