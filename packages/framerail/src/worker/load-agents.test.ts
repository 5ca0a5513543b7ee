import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const AGENT = (id: string) =>
  `import { defineAgent, writer } from "framerail/agent";\nconst id: string = "${id}";\n` +
  `export default defineAgent({ id, run: async () => { await null; writer().text("I am " + id); } });\n`;

let folder: string;

// Inside the repository, because an agent file finds `framerail/agent` from where it stands.
beforeEach(() => {
  const cache = fileURLToPath(new URL("../../../../.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "agents-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

interface Result {
  readonly agents?: readonly (readonly [file: string, id: string, text: string])[];
  readonly code?: string;
  readonly message?: string;
}

/** In a process of its own, because the test runner loads modules by ways that no user has. */
function load(from = folder): Result {
  const script = fileURLToPath(new URL("./testing/load-and-run.mjs", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [script, from], { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Result;
}

function refusal(): string {
  const { code, message } = load();
  expect(code).toBe("INVALID_AGENT");
  return message ?? "";
}

test("TypeScript files and agent.ts of folders are loaded in order, and their writer() finds the turn [W-SW-1]", () => {
  write({
    "b.ts": AGENT("second"),
    "a.ts": AGENT("first"),
    "own/agent.ts": 'import { agents } from "./made.js";\nexport default agents;\n',
    "own/made.ts": `import { defineAgent } from "framerail/agent";
export const agents = ["third", "fourth"].map((id) => defineAgent({ id, run: async () => undefined }));`,
    "a.test.ts": "throw new Error('a test is no agent');",
    "types.d.ts": "declare const nothing: never;",
    "plain/notes.ts": "throw new Error('only agent.ts of a folder is read');",
    "README.md": "words",
  });
  expect(load().agents).toEqual([
    ["a.ts", "first", "I am first"],
    ["b.ts", "second", "I am second"],
    ["own/agent.ts", "third", ""],
    ["own/agent.ts", "fourth", ""],
  ]);
});

test("an agent may import a file of its own while it runs [W-SW-1]", () => {
  write({
    "a.ts": `import { defineAgent } from "framerail/agent";
export default defineAgent({ id: "first", run: async () => (await import("./lib/words.js")).say() });`,
    "lib/words.ts": `import { writer } from "framerail/agent";
export const say = (words: string = "I came late") => writer().text(words);`,
  });
  expect(load().agents).toEqual([["a.ts", "first", "I came late"]]);
});

/** With what only a module may have. */
const MODULE = (id: string) => `${AGENT(id).replace(": string", "")}await null;\n`;
const COMMON = '{"type":"commonjs"}';

test("JavaScript is read as what it is, whatever package.json says, and so is what an agent imports", () => {
  write({
    "package.json": COMMON,
    "a.js": MODULE("first"),
    "b.ts": MODULE("second"),
    "c.mjs": MODULE("third"),
    "own/agent.js": `import { name } from "./made.js";\nimport old from "./old.js";\n${AGENT("x").replace(': string = "x"', " = name + old.name")}`,
    "own/made.js": 'export const name = "four";\n',
    "own/old.js": 'module.exports = { name: "th" };\n',
  });
  expect(load().agents).toEqual([
    ["a.js", "first", "I am first"],
    ["b.ts", "second", "I am second"],
    ["c.mjs", "third", "I am third"],
    ["own/agent.js", "fourth", "I am fourth"],
  ]);
});

test("a folder that is reached by a link is read like any other", () => {
  write({ "releases/1/package.json": COMMON, "releases/1/a.ts": MODULE("first"), "releases/1/b.ts": "export {};" });
  symlinkSync("releases/1", join(folder, "current"));
  const { message } = load(join(folder, "current"));
  expect(message?.split("\n").slice(1)).toEqual([expect.stringMatching(/^ {2}b\.ts: it exports nothing by default/)]);
  rmSync(join(folder, "releases/1/b.ts"));
  expect(load(join(folder, "current")).agents).toEqual([["a.ts", "first", "I am first"]]);
});

test("links to agents are agents, and what is hidden is none, as where a cluster mounts files", () => {
  write({ "..1/agent.ts": AGENT("first"), "..1/b.ts": AGENT("second"), "..1/own/agent.ts": AGENT("third") });
  symlinkSync("..1", join(folder, "..data"));
  for (const name of ["agent.ts", "b.ts", "own"]) symlinkSync(`..data/${name}`, join(folder, name));
  symlinkSync("someone@somewhere.17", join(folder, ".#b.ts"));
  expect(load().agents).toEqual([
    ["agent.ts", "first", "I am first"],
    ["b.ts", "second", "I am second"],
    ["own/agent.ts", "third", "I am third"],
  ]);
});

const TOOL_AGENT = `import { systemClock } from "@framerail/protocol";
import { defineAgent, defineTool, scriptedModel } from "framerail/agent";
import { z } from "zod";
const steps = [{ call: 1, tool_calls: [{ name: "look" }] }, { text: "Two." }];
const model = scriptedModel({ clock: systemClock, speed: Infinity, script: { token_length: 9, steps } });
const look = defineTool({ name: "look", description: "Looks", input: z.object({}), run: () => 2 });
export default defineAgent({ id: "second", model, tools: [look] });
`;

test("agents with a copy of the package of their own run, and their writer() finds the turn [W-SW-1]", () => {
  write({ "a.ts": AGENT("first"), "b.ts": TOOL_AGENT });
  const own = fileURLToPath(new URL("../..", import.meta.url));
  const copy = join(folder, "node_modules/framerail");
  for (const name of ["dist", "package.json"]) cpSync(join(own, name), join(copy, name), { recursive: true });
  expect(load().agents).toEqual([
    ["a.ts", "first", "I am first"],
    ["b.ts", "second", "Two."],
  ]);
});

test("every file that does not load is named once with its own reason [W-REG-10]", () => {
  write({
    "broken.ts": "export default 1 +;\n",
    "good.ts": AGENT("good"),
    "again.ts": AGENT("good"),
    "mute.ts": "export const agent = 1;\n",
    "number.ts": "export default 7;\n",
    "throws.ts": "throw new Error('no key in the environment\\nand more');\n",
    "lost.ts": 'import "./nowhere.js";\nexport default 1;\n',
    "bad-tool.ts": `import { defineTool } from "framerail/agent";
export default defineTool({ name: "has spaces", description: "", input: {}, run: () => 1 });`,
  });
  const lines = refusal().split("\n").slice(1);
  const reasons = Object.fromEntries(lines.map((line) => /^ {2}([\w.-]+): (.*)$/.exec(line)?.slice(1) ?? [line, ""]));
  expect(lines).toHaveLength(7);
  expect(reasons).toEqual({
    "broken.ts": expect.stringContaining("broken.ts:1:18") as string,
    "good.ts": 'agent "good" is already in again.ts',
    "mute.ts": expect.stringContaining("exports nothing by default") as string,
    "number.ts": expect.stringContaining("defineAgent") as string,
    "throws.ts": "no key in the environment",
    "lost.ts": expect.stringContaining("nowhere.js") as string,
    "bad-tool.ts": expect.stringContaining("has spaces") as string,
  });
});

test("an empty folder and a folder that is not there are said in one line", () => {
  expect(refusal()).toMatch(/^no agent in .*assistant\.ts$/);
  rmSync(folder, { recursive: true });
  expect(refusal()).toMatch(/^the agents' folder .* cannot be read$/);
  mkdirSync(folder);
});
