import { expect, test } from "vitest";
import { runCommand } from "./command.js";
import { sourcesOnDisk } from "./disk.js";
import type { Sources } from "./generated-files.js";
import { COMMAND, generateFiles } from "./generated-files.js";

const EVENTS = "packages/protocol/schemas/events.json";

/** A repository in memory: what the code would write, with some files changed. */
function run(args: readonly string[], changed: { readonly [path: string]: string } = {}) {
  const onDisk = sourcesOnDisk();
  const files = new Map([...generateFiles(onDisk), ...Object.entries(changed)]);
  const sources: Sources = { ...onDisk, read: (path) => files.get(path) };
  const said: string[] = [];
  const written: string[] = [];
  const write = (path: string, text: string) => {
    written.push(path);
    files.set(path, text);
  };
  const exit = () => runCommand({ args, sources, write, say: (line) => said.push(line) });
  return { exit, said, written };
}

test("--check of fresh files says nothing and exits with 0 [F-1]", () => {
  const { exit, said, written } = run(["--check"]);
  expect([exit(), said, written]).toEqual([0, [], []]);
});

test("--check of a stale file names it and the command, writes nothing and exits with 1 [F-1]", () => {
  const { exit, said, written } = run(["--check"], { [EVENTS]: "{}\n" });
  expect([exit(), said, written]).toEqual([1, [`stale: ${EVENTS}\nto write them again: ${COMMAND}`], []]);
});

test("without an option the stale files are written, and a second run finds nothing to do [F-1]", () => {
  const { exit, said, written } = run([], { [EVENTS]: "{}\n" });
  expect([exit(), written, said]).toEqual([0, [EVENTS], [`written: ${EVENTS}`]]);
  expect([exit(), written]).toEqual([0, [EVENTS]]);
});

test.each([[["--chek"]], [["--check", "more"]], [["--check", "--check"]]])(
  "%j is wrong usage: nothing is written and the exit code is 2 [F-1]",
  (args) => {
    const { exit, said, written } = run(args, { [EVENTS]: "{}\n" });
    expect([exit(), said, written]).toEqual([2, [`usage: ${COMMAND} [--check]`], []]);
  },
);
