// The program's commands and what becomes of their ends. Knows no process, so that it can be run anywhere.
// Owns: the list of commands, exit codes. Does not own: what a command does (the *-command.ts files), the real terminal
// (main.ts).
//   P1. Exit codes are 0, 1 failed, 2 wrong usage.
//   P2. What is no refusal of ours is a bug, and is thrown on with its stack.
//   P3. A refusal may quote files of others: what it would command the terminal is taken out of it.

import { readFileSync } from "node:fs";
import { isFramerailError } from "@framerail/protocol";
import { Command, CommanderError } from "commander";
import { addChatCommand } from "./chat-command.js";
import { addDevCommand } from "./dev-command.js";
import { addKeyCommand } from "./key-command.js";
import { addMigrateCommand } from "./migrate-command.js";
import { addRegistryCommand } from "./registry-command.js";
import { addReplayCommand } from "./replay-command.js";
import { addServeCommand } from "./serve-command.js";
import { addTailCommand } from "./tail-command.js";
import { createControlStripper } from "./terminal/strip-controls.js";
import type { Terminal } from "./terminal.js";
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./terminal.js";
import { addValidateCommand } from "./validate-command.js";

/** Runs one command line, without the program's own name, and gives its exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: "user" });
    return terminal.hasFailed() ? EXIT_FAILED : EXIT_OK;
  } catch (error) {
    // It has said what it has to say. Asking for help or the version is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    if (!isFramerailError(error)) throw error;
    terminal.err(`error: ${createControlStripper()(error.message)}\n`);
    return EXIT_FAILED;
  }
}

function createProgram(terminal: Terminal): Command {
  const version = readVersion();
  const program = new Command("framerail")
    .description("the streaming runtime for AI agents")
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .addHelpText("after", "\nExample:\n  framerail registry check examples/registry\n");
  addKeyCommand(program, terminal);
  addDevCommand(program, terminal, version);
  addServeCommand(program, terminal, version);
  addMigrateCommand(program, terminal);
  addChatCommand(program, terminal);
  addTailCommand(program, terminal);
  addReplayCommand(program, terminal);
  addRegistryCommand(program, terminal);
  addValidateCommand(program, terminal);
  return program;
}

/** The package's own; its file is two folders up from the sources and from what is built alike. */
function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
