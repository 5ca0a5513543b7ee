import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import typescript from "typescript";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findAgentFiles } from "./find-agent-files.js";
import { judgeTypes } from "./judge-types.js";
import { TYPE_MESSAGE_LENGTH_MAX } from "./limits.js";

// Outside of the repository: nothing is installed there but what a test puts there.
let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "framerail-types-"));
});
afterEach(() => rmSync(project, { recursive: true }));

/** Writes the files, and gives what is said of the agents among them: `file:line:column code message`. */
function judge(files: Readonly<Record<string, string>>): string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const folder = join(project, "agents");
  const sources = findAgentFiles(folder).filter((path) => path.endsWith("ts"));
  return judgeTypes(typescript, { folder, files: sources }).map(
    ({ file, line, column, code, message }) => `${file.slice(project.length + 1)}:${line}:${column} ${code} ${message}`,
  );
}

const LIBRARY = {
  "node_modules/lib/package.json": '{ "name": "lib", "type": "module", "exports": { "import": "./index.ts" } }',
  "node_modules/lib/index.ts":
    "export const wrong: number = 'x';\nexport function sum(a: number, b: number) { return a + b; }",
};

test("a mistake has its place, its code and the compiler's sentence, in the file or in what it imports", () => {
  const said = judge({
    ...LIBRARY,
    "agents/a.ts":
      'import { sum } from "lib";\nimport { half } from "../half.js";\n\n  sum(half, "2");\nexport default 1;',
    "agents/unread.js": "const one = 1; one.two.three;",
    "agents/own/agent.mts": "export default function run(turn) {}",
    "agents/own/other.ts": "export const unread: string = 1;",
    "half.ts": "export const half: number = [0.5];",
  });
  expect(said.sort()).toEqual([
    "agents/a.ts:4:13 2345 Argument of type 'string' is not assignable to parameter of type 'number'",
    "agents/own/agent.mts:1:29 7006 Parameter 'turn' implicitly has an 'any' type",
    "half.ts:1:14 2322 Type 'number[]' is not assignable to type 'number'",
  ]);
});

test("a sentence that goes on is told by its first and its last part, and a long one is cut", () => {
  const [nested, long, ...rest] = judge({
    "agents/a.ts": `const make = (): { a: { b: number } } => ({ a: { b: 1 } });
const made: { a: { b: string } } = make();
const key: "${"long".repeat(200)}" = "none";
export default [made, key];`,
  });
  expect(nested).toBe(
    "agents/a.ts:2:7 2322 Type '{ a: { b: number; }; }' is not assignable to type '{ a: { b: string; }; }': " +
      "Type 'number' is not assignable to type 'string'",
  );
  expect(long?.length).toBeLessThan(TYPE_MESSAGE_LENGTH_MAX + 40);
  expect(rest).toEqual([]);
});

test("what runs is not refused for modules and types that the compiler does not find", () => {
  const said = judge({
    "node_modules/plain/package.json": '{ "name": "plain", "main": "index.js" }',
    "node_modules/plain/index.js": "module.exports = {};",
    "agents/a.ts": `import { readFileSync } from "node:fs";
import { defineAgent } from "framerail/agent";
import plain from "plain";
import { made } from "./own/made";
import { again } from "./own/made.ts";
enum Level { Low, High }
const timer: NodeJS.Timeout = setTimeout(() => undefined, 1);
const text = await readFileSync(new URL("a.ts", import.meta.url), "utf8");
export default defineAgent<string>({
  id: process.env.ID, plain, made, again, text, timer, level: Level.Low, hex: Buffer.from("a"),
  run({ message }, { writer }) { return message.map((one) => writer.text(one)); },
});`,
    "agents/own/made.ts": "export const made = 1;\nexport { made as again };",
  });
  expect(said).toEqual([]);
});

test("the nearest tsconfig.json decides, with what it declares for everybody, but not about names that are not used", () => {
  const config = { strict: false, noUnusedLocals: true, noUnusedParameters: true, composite: true, rootDir: "agents" };
  const said = judge({
    "agents/a.ts": `import words from "./words.yaml";
export default function run(turn) {
  const unused = 1;
  return words.many;
}`,
    "types/yaml.d.ts": 'declare module "*.yaml" { const words: string; export default words; }',
    "tsconfig.json": `${JSON.stringify({ compilerOptions: config }).slice(0, -1)}, // a mistake`,
  });
  expect(said).toEqual(["agents/a.ts:4:16 2339 Property 'many' does not exist on type 'string'"]);
});

test("a declaration beside the agents holds for all of them", () => {
  const said = judge({ "agents/names.d.ts": "declare const SHOP: string;", "agents/a.ts": "export default SHOP * 2;" });
  expect(said).toEqual([expect.stringMatching(/^agents\/a\.ts:1:16 2362 /)]);
});
