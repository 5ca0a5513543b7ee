// The commands of a page, in one shell that ends with the first that fails.
//   S1. Commands that do not run here are at least commands; an npm script among them is there.
//   S2. Commands that another page runs are what stands there.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding, Page } from "./page.js";
import { ROOT } from "./project.js";
import { MARK, runBlocks } from "./run-blocks.js";

/** `cwd`: where a reader of the page is; in the project, where nothing else is said. */
export async function runShell(page: Page, folder: string, cwd = folder): Promise<Finding[]> {
  const blocks = page.blocks.filter(({ kind }) => kind === "shell");
  const findings = findMisspelt(page);
  if (blocks.length === 0) return findings;
  const script = blocks.map(({ line, code }) => `printf '${MARK}%d\\n' ${line}\n${code}\n`);
  const path = join(folder, `${page.name}.sh`);
  writeFileSync(path, `set -eu\n${script.join("")}`);
  const bin = join(folder, "node_modules/.bin");
  const env = { PATH: `${bin}:${process.env.PATH}` };
  return [...findings, ...(await runBlocks(page, "shell", { command: "bash", args: [path], cwd, env }))];
}

// S1
function findMisspelt({ name, blocks }: Page): Finding[] {
  return blocks.flatMap((block) => {
    if (block.kind !== "unrun" || block.language !== "bash") return [];
    const { status, stderr } = spawnSync("bash", ["-n"], { input: block.code, encoding: "utf8" });
    const problems = [...(status === 0 ? [] : [stderr.trim()]), ...findUnknownScripts(block.code)];
    return problems.map((says) => ({ page: name, line: block.line, says }));
  });
}

function findUnknownScripts(code: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly scripts: object };
  const named = [...code.matchAll(/\bnpm (?:run )?(?<script>[\w:]+)/g)].map(({ groups }) => groups?.script ?? "");
  return named.filter((script) => !Object.hasOwn(scripts, script)).map((script) => `there is no npm script ${script}`);
}

/** The lines of a page that say they are another's, and are not (S2). */
export function findMisquoted({ name, blocks }: Page, pages: readonly Page[]): Finding[] {
  return blocks.flatMap((block) => {
    if (block.kind !== "quote") return [];
    const { from, line, code } = block;
    const quoted = pages.find((page) => page.name === from)?.blocks.filter(({ kind }) => kind === "shell") ?? [];
    return code.split("\n").flatMap((text, index) => {
      if (quoted.some((other) => other.code.includes(text))) return [];
      return [{ page: name, line: line + 1 + index, says: `no block that ${from} runs has: ${text}` }];
    });
  });
}
