// Writes the published contract: JSON Schemas, the AsyncAPI document and the reference part of PROTOCOL.md.
// With --check it only tells which of them are stale (command.ts).

import { runCommand } from "./command.js";
import { sourcesOnDisk, writeToDisk } from "./disk.js";

process.exitCode = runCommand({
  args: process.argv.slice(2),
  sources: sourcesOnDisk(),
  write: writeToDisk,
  say: (line) => console.error(line),
});
