import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TypeCheckOptions } from "./check-agent-types.js";
import { checkAgentTypes } from "./check-agent-types.js";

/** As it is built: a thread is a file of its own, which the test runner does not compile. */
const BUILT = new URL("../../dist/worker/", import.meta.url);
const THREAD = new URL("type-check-thread.js", BUILT);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-check-"));
  writeFileSync(join(folder, "a.ts"), "export const one: number = '1';\nexport const two: number = '2';\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const verdictOf = (options: TypeCheckOptions = {}) => checkAgentTypes(folder, { thread: THREAD, ...options }).verdict;

function installTypeScript(text: string): void {
  mkdirSync(join(folder, "node_modules/typescript"), { recursive: true });
  writeFileSync(join(folder, "node_modules/typescript/index.js"), text);
}

test("the first mistake is told, and how many there are", async () => {
  const first = { file: join(folder, "a.ts"), line: 1, column: 14, code: 2322 };
  expect(await verdictOf()).toMatchObject({ kind: "wrong", first, count: 2 });
  writeFileSync(join(folder, "a.ts"), "export const one: number = 1;\n");
  expect(await verdictOf()).toEqual({ kind: "sound" });
});

test("a folder without TypeScript files needs no compiler, and one that is not there is refused", async () => {
  rmSync(join(folder, "a.ts"));
  writeFileSync(join(folder, "a.js"), "export default 1;");
  expect(await verdictOf({ thread: new URL("file:///no/such/thread.js") })).toEqual({ kind: "sound" });
  expect(() => checkAgentTypes(join(folder, "none"))).toThrow(/cannot be read/);
});

test("the agents' own compiler is asked before ours, and one that cannot be asked leaves the check out", async () => {
  installTypeScript('exports.version = "4.9.5"; exports.versionMajorMinor = "4.9"; exports.createProgram = () => {};');
  expect(await verdictOf()).toEqual({ kind: "left_out", reason: "TypeScript 4.9.5 has no compiler to ask" });
  installTypeScript('exports.version = "7.1.0"; exports.versionMajorMinor = "7.1";');
  expect(await verdictOf()).toEqual({ kind: "left_out", reason: "TypeScript 7.1.0 has no compiler to ask" });
  installTypeScript('throw new Error("half installed");');
  expect(await verdictOf()).toEqual({ kind: "left_out", reason: "it failed: half installed" });
});

test("where no compiler is installed at all, the check is left out", async () => {
  // Built files at a place from where nothing is found.
  const place = join(folder, "elsewhere");
  mkdirSync(place);
  for (const name of ["type-check-thread", "judge-types", "compiler-settings", "limits"])
    copyFileSync(new URL(`${name}.js`, BUILT), join(place, `${name}.js`));
  writeFileSync(join(place, "package.json"), '{ "type": "module" }');
  const thread = pathToFileURL(join(place, "type-check-thread.js"));
  expect(await verdictOf({ thread })).toEqual({ kind: "left_out", reason: "no TypeScript is installed" });
});

test("a check that takes too long is left out, and one that is stopped is over", async () => {
  const thread = new URL("data:text/javascript,setInterval(() => {}, 1000)");
  expect(await verdictOf({ thread, msMax: 50 })).toEqual({ kind: "left_out", reason: "it took longer than 0.05 s" });
  const { verdict, stop } = checkAgentTypes(folder, { thread });
  await stop();
  expect(await verdict).toEqual({ kind: "left_out", reason: "it was ended" });
});
