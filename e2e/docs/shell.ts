// The commands of a page, in one shell that ends with the first that fails.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding, Page } from "./page.js";
import { MARK, runBlocks } from "./run-blocks.js";

export async function runShell(page: Page, folder: string): Promise<Finding[]> {
  const blocks = page.blocks.filter(({ kind }) => kind === "shell");
  const findings = findMisspelt(page);
  if (blocks.length === 0) return findings;
  const script = blocks.map(({ line, code }) => `printf '${MARK}%d\\n' ${line}\n${code}\n`);
  const path = join(folder, `${page.name}.sh`);
  writeFileSync(path, `set -eu\n${script.join("")}`);
  const bin = join(folder, "node_modules/.bin");
  const env = { PATH: `${bin}:${process.env.PATH}` };
  return [...findings, ...(await runBlocks(page, "shell", { command: "bash", args: [path], cwd: folder, env }))];
}

/** Commands that are not run are at least commands. */
function findMisspelt({ name, blocks }: Page): Finding[] {
  return blocks.flatMap((block) => {
    if (block.kind !== "unrun" || block.language !== "bash") return [];
    const { status, stderr } = spawnSync("bash", ["-n"], { input: block.code, encoding: "utf8" });
    return status === 0 ? [] : [{ page: name, line: block.line, says: stderr.trim() }];
  });
}
