// The one door to every command of the repository: `node scripts/bootstrap.mjs <command> [args…]`. On a fresh clone it
// needs only Node and npm; it installs and builds what is missing, then runs the command.
// Owns: the commands and their steps, exit codes and signals. Does not own: when to install (prepare.mjs).
//   B1. Node built-ins only, because it runs before anything is installed.
//   B2. A command ends as its last step ended: the same exit code, or the same signal.
//   B3. Without a terminal, and in CI, no step writes colours or moves the cursor.

import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { prepare } from "./prepare.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MIN = [20, 19];
const LONG_TEST_MS_MAX = 4 * 60 * 60 * 1000;

const plain = process.stdout.isTTY !== true || Boolean(process.env.CI);

// What Node is given to run a tool: the tools' own files, not the links in node_modules/.bin, which are shell scripts on
// Windows. tsx is loaded into the program, because its own command ends with 0 when the program was killed (B2).
const TOOLS = {
  biome: ["node_modules/@biomejs/biome/bin/biome"],
  eslint: ["node_modules/eslint/bin/eslint.js"],
  framerail: ["packages/framerail/bin/framerail.js"],
  tsc: ["node_modules/typescript/bin/tsc"],
  tsx: ["--import", "tsx"],
  vitest: ["node_modules/vitest/vitest.mjs"],
};

const PROGRAMS = { name: "programs", tool: "tsx", args: ["scripts/install-programs.ts"] };

// Each command is a list of steps, of which some run side by side; arguments of the caller go to the last one. The tests
// come last, so that the runner's summary ends the output.
const COMMANDS = {
  start: [{ tool: "framerail", args: ["dev"] }],
  contract: [{ tool: "tsx", args: ["packages/protocol/contract/generate.ts"] }],
  bench: [{ tool: "tsx", args: ["bench/run.ts"] }],
  test: [
    { name: "format", tool: "biome", args: ["ci", "--error-on-warnings", ...(plain ? ["--colors=off"] : []), "."] },
    [
      { name: "lint", tool: "eslint", args: ["--max-warnings=0", "."] },
      PROGRAMS,
      { name: "types", tool: "tsc", args: ["-p", "tsconfig.check.json", "--pretty", String(!plain)] },
    ],
    { name: "tests", tool: "vitest", args: ["run"] },
  ],
  "test:long": [
    PROGRAMS,
    {
      name: "long tests",
      tool: "vitest",
      args: ["run", `--testTimeout=${LONG_TEST_MS_MAX}`],
      env: { FRAMERAIL_LONG: "1" },
    },
  ],
};

const [command, ...args] = process.argv.slice(2);
requireNode();
if (command === undefined || !Object.hasOwn(COMMANDS, command)) {
  fail(`usage: node scripts/bootstrap.mjs ${Object.keys(COMMANDS).join(" | ")} [args…]`, 2);
}
try {
  await prepare({ root: ROOT, run });
} catch (error) {
  fail(error instanceof Error ? error.message : String(error), 1);
}
await runSteps(COMMANDS[command]);

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  fail(`Framerail needs Node ${NODE_MIN.join(".")} or newer; this is Node ${process.versions.node}.`, 1);
}

async function runSteps(steps) {
  for (const step of steps) {
    const isLast = step === steps.at(-1);
    const ends = await Promise.all([step].flat().map((one) => runStep(one, isLast)));
    const failed = ends.find(({ code }) => code !== 0);
    if (failed !== undefined) return endAs(failed);
  }
}

async function runStep({ name, tool, args: own, env }, isLast) {
  if (name !== undefined) console.log(`\n== ${name}`);
  const startedAt = performance.now();
  const end = await run(process.execPath, [...TOOLS[tool], ...own, ...(isLast ? args : [])], env);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  // The last step speaks for itself: its own summary, with its own duration, ends the output.
  if (!isLast) console.log(`== ${name} ${end.code === 0 ? "passed" : "failed"} in ${seconds} s`);
  return end;
}

/** Runs a program in the repository's root and gives how it ended: `{ code, signal }`. */
function run(program, programArgs, env = {}) {
  const child = spawn(program, programArgs, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...colourless(process.env), ...env },
    // Only npm is not a program of its own there.
    shell: process.platform === "win32" && program === "npm",
  });
  // Ctrl-C in a terminal already reaches the child, and a second one would mean "now"; here it only must not end us.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const forward = (signal) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      resolve({ code, signal });
    });
  });
}

// Several tools colour their output whenever CI is set, terminal or not (B3).
function colourless(env) {
  if (!plain) return env;
  const { FORCE_COLOR: _, ...rest } = env;
  return { ...rest, NO_COLOR: "1" };
}

function endAs({ code, signal }) {
  if (signal !== null) process.kill(process.pid, signal);
  else process.exitCode = code;
}

function fail(message, code) {
  console.error(message);
  process.exit(code);
}
