import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { entryText, localeText, REPOSITORY, writeFolder } from "../registry/testing/registry-folder.js";

/** Starts the program as a shell does, in the repository's root. */
function start(args: readonly string[]) {
  return spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, "main.ts"), ...args], {
    cwd: REPOSITORY,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(REPOSITORY, "tsconfig.check.json") },
  });
}

async function run(...args: readonly string[]) {
  const child = start(args);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code: code as number };
}

test("the program ends with 0 for a sound registry", async () => {
  const out = "ok: 9 ids, 4 fragments, 5 locales, 0 errors, 0 warnings\n";
  expect(await run("registry", "check", "examples/registry")).toEqual({ out, err: "", code: 0 });
});

test("the program ends with 1 for a key that no locale has [W-REG-5]", async () => {
  const dir = writeFolder({ "platform/status_events.yaml": entryText("a"), "locales/en.yaml": localeText(["b"]) });
  const { out, code } = await run("registry", "check", dir, "--json");
  expect(JSON.parse(out)).toMatchObject({ ok: false, errors: [{ id: "a", rule: "missing-key", line: 1 }] });
  expect(code).toBe(1);
});

test("the program ends with 2 for a command it does not know", async () => {
  expect(await run("nonsense")).toEqual({ out: "", err: "error: unknown command 'nonsense'\n", code: 2 });
});

test("a reader that closes the pipe early is no failure", async () => {
  const child = start(["registry", "list", "examples/registry", "--json"]);
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect({ err, code: code as number }).toEqual({ err: "", code: 0 });
});
