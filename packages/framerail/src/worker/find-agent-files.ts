// Which files of a folder are agents: every TypeScript or JavaScript file in it, and `agent.ts` of every folder in it. A link
// is what it leads to. What is hidden is nobody's agent: editors, file systems and clusters keep their own things so.

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
      if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
      if (!entry.isDirectory() && SOURCE.test(entry.name)) return [path];
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
