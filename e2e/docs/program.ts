// The TypeScript of a page that is no file of the project: one program, read from top to bottom. It is compiled with every
// block of it, and run with those that are run.
//   G1. A line of the program that is compiled has the number of its line on the page.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Finding, Page } from "./page.js";
import { MARK, runBlocks } from "./run-blocks.js";

const isCompiled = (block: Block) => block.kind === "program" || (block.kind === "unrun" && block.language === "ts");

/** The text to compile; undefined for a page without any. */
export function programText({ blocks }: Page): string | undefined {
  const lines: string[] = [];
  for (const { line, code } of blocks.filter(isCompiled)) {
    // G1
    while (lines.length < line) lines.push("");
    lines.push(...code.split("\n"));
  }
  return lines.length === 0 ? undefined : `${lines.join("\n")}\nexport {};\n`;
}

export async function runProgram(page: Page, folder: string): Promise<Finding[]> {
  const blocks = page.blocks.filter(({ kind }) => kind === "program");
  if (blocks.length === 0) return [];
  const text = blocks.map(
    ({ line, code }) => `process.stdout.write(${JSON.stringify(`${MARK}${line}\n`)});\n${code}\n`,
  );
  const path = join(folder, `${page.name}.mts`);
  writeFileSync(path, text.join(""));
  return runBlocks(page, "program", { command: process.execPath, args: ["--import", "tsx", path], cwd: folder });
}
