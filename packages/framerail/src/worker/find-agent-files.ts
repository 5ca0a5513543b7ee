// Which files of a folder are agents: every TypeScript or JavaScript file in it, and `agent.ts` of every folder in it.

import type { Dirent } from "node:fs";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FramerailError } from "@framerail/protocol";

const SOURCE = /(?<!\.d|\.test)\.(?:ts|mts|js|mjs)$/;
const ENTRIES = ["agent.ts", "agent.mts", "agent.js", "agent.mjs"];

/** Their paths, in order. Throws INVALID_AGENT for a folder that cannot be read. */
export function findAgentFiles(root: string): string[] {
  return readFolder(root)
    .flatMap((entry) => {
      const path = join(root, entry.name);
      if (entry.isFile()) return SOURCE.test(entry.name) ? [path] : [];
      if (!entry.isDirectory() || entry.name === "node_modules") return [];
      return ENTRIES.map((name) => join(path, name))
        .filter((entryPath) => existsSync(entryPath))
        .slice(0, 1);
    })
    .sort();
}

function readFolder(root: string): Dirent[] {
  try {
    return readdirSync(root, { withFileTypes: true });
  } catch (cause) {
    throw new FramerailError("INVALID_AGENT", `the agents' folder ${root} cannot be read`, { cause });
  }
}
