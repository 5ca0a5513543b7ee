// The command that writes or checks the published contract.
//   C1. It exits with 0 when all is well, 1 when --check finds a stale file, 2 when it was called wrongly.
//   C2. --check writes nothing; without it only stale files are written.

import type { Sources } from "./generated-files.js";
import { COMMAND, explainStale, findStale, generateFiles } from "./generated-files.js";

export interface CommandOptions {
  readonly args: readonly string[];
  readonly sources: Sources;
  readonly write: (path: string, text: string) => void;
  readonly say: (line: string) => void;
}

export function runCommand({ args, sources, write, say }: CommandOptions): 0 | 1 | 2 {
  const [option, ...more] = args;
  if (more.length > 0 || (option !== undefined && option !== "--check")) {
    say(`usage: ${COMMAND} [--check]`);
    return 2;
  }
  const stale = findStale(sources);
  if (option === "--check") {
    if (stale.length > 0) say(explainStale(stale));
    return stale.length > 0 ? 1 : 0;
  }
  const files = generateFiles(sources);
  for (const path of stale) {
    write(path, files.get(path) as string);
    say(`written: ${path}`);
  }
  return 0;
}
