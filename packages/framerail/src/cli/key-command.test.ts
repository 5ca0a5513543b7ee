import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

const TENANT = "7d9b1c1e-52f5-4b3a-9a8e-0c2f6a1d4e90";

async function run(...args: readonly string[]) {
  let [out, err] = ["", ""];
  const terminal = createTerminal({ out: (text) => (out += text), err: (text) => (err += text) });
  const code = await runProgram(["key", ...args], terminal);
  return { out, err, code };
}

beforeEach(() => void vi.stubEnv("DATABASE_URL", undefined));
afterEach(() => void vi.unstubAllEnvs());

test("a key for no database is wrong usage, and the line says what to name", async () => {
  const err = "error: name a database: set DATABASE_URL, or give --data DIR\n";
  expect(await run("create", "--tenant", TENANT, "--name", "x")).toEqual({ out: "", err, code: 2 });
  expect(await run("list", "--tenant", TENANT)).toEqual({ out: "", err, code: 2 });
  expect(await run("revoke", TENANT, "--tenant", TENANT)).toEqual({ out: "", err, code: 2 });
});

test("arguments that are missing or wrong are wrong usage, before any database is opened", async () => {
  const wrong = [
    ["create", "--name", "x"],
    ["create", "--tenant", TENANT],
    ["create", "--tenant", "acme", "--name", "x"],
    ["list"],
    ["revoke", "--tenant", TENANT],
    ...["0", "-1", "1.5", "3651", "soon", ""].map((days) => [
      "create",
      "--tenant",
      TENANT,
      "--name",
      "x",
      `--expires-days=${days}`,
    ]),
  ];
  for (const args of wrong) {
    const { out, err, code } = await run(...args);
    expect({ out, code }, args.join(" ")).toEqual({ out: "", code: 2 });
    expect(err).toMatch(/^error: /);
  }
});

test("each command's help has an example", async () => {
  for (const name of ["create", "list", "revoke"]) {
    const { out, code } = await run(name, "--help");
    expect(out).toContain(`Example:\n  framerail key ${name} `);
    expect(code).toBe(0);
  }
});

test("a server that is not there fails with one line that keeps the password to itself [G7]", async () => {
  const url = "postgres://someone:secret@127.0.0.1:1/nowhere";
  expect(await run("list", "--tenant", TENANT, "--database-url", url)).toEqual({
    out: "",
    err: "error: the database cannot be reached\n",
    code: 1,
  });
});
