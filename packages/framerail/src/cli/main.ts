#!/usr/bin/env node
// `framerail`: the program on a real terminal.
//   M1. The exit code is set, never forced, so that output is written to its end.

import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

// `framerail … | head` closes the pipe early: that is how a reader says it has enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const terminal = createTerminal({
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
process.exitCode = await runProgram(process.argv.slice(2), terminal);
