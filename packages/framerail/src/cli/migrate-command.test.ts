import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

async function run(...args: readonly string[]) {
  let [out, err] = ["", ""];
  const terminal = createTerminal({ out: (text) => (out += text), err: (text) => (err += text) });
  const code = await runProgram(["migrate", ...args], terminal);
  return { out, err, code };
}

beforeEach(() => void vi.stubEnv("DATABASE_URL", undefined));
afterEach(() => void vi.unstubAllEnvs());

test("a migration of no database is wrong usage, and the line says what to name", async () => {
  const err = "error: name a database: set DATABASE_URL, or give --data DIR\n";
  expect(await run()).toEqual({ out: "", err, code: 2 });
});

test("an option that does not exist is wrong usage", async () => {
  expect(await run("--nonsense")).toMatchObject({ out: "", code: 2 });
});

test("help shows an example and where the address may stand", async () => {
  const { out, code } = await run("--help");
  expect(out).toContain("Example:\n  DATABASE_URL=postgres://");
  expect(out).toContain("DATABASE_URL)");
  expect(code).toBe(0);
});

test("a server that is not there fails with one line that keeps the password to itself", async () => {
  const url = "postgres://someone:secret@127.0.0.1:1/nowhere";
  expect(await run("--database-url", url)).toEqual({
    out: "",
    err: "error: the database cannot be reached\n",
    code: 1,
  });
});
