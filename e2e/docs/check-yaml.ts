// The YAML of the pages: their registry goes through `framerail registry check`, their scripts are read as scripted models
// read them.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isFramerailError } from "@framerail/protocol";
import { loadScript } from "framerail/agent";
import { PROGRAM } from "../harness/program.js";
import type { Block, Finding, Page } from "./page.js";

const REGISTRY = "registry";

export async function checkYaml(pages: readonly Page[], folder: string): Promise<Finding[]> {
  const blocks = pages.flatMap(({ blocks: all }) => all.filter(isYaml));
  const findings: Finding[] = [];
  for (const block of blocks)
    if (!block.path.startsWith(`${REGISTRY}/`)) findings.push(...(await checkScript(block, folder)));
  return [...findings, ...checkRegistry(blocks, folder)];
}

/** Writes the status ids of the pages' registry, as `framerail registry types` tells them to the compiler. */
export function generateStatusIds(folder: string, out: string): readonly string[] {
  if (!existsSync(join(folder, REGISTRY))) return [];
  const { status } = runRegistry(folder, ["types", "--out", out]);
  // A registry that is broken has its findings already.
  return status === 0 ? [out] : [];
}

type FileBlock = Extract<Block, { readonly kind: "file" }>;

function isYaml(block: Block): block is FileBlock {
  return block.kind === "file" && block.path.endsWith(".yaml");
}

async function checkScript({ page, line, path }: FileBlock, folder: string): Promise<Finding[]> {
  try {
    await loadScript(join(folder, path));
    return [];
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    return [{ page, line, says: error.message }];
  }
}

interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

function checkRegistry(blocks: readonly FileBlock[], folder: string): Finding[] {
  if (!existsSync(join(folder, REGISTRY))) return [];
  const { stdout } = runRegistry(folder, ["check", "--json"]);
  const { errors } = JSON.parse(stdout) as { readonly errors: readonly Problem[] };
  return errors.map(({ file, line, message }) => {
    const block = blocks.find(({ path }) => path === `${REGISTRY}/${file}`);
    return { page: block?.page ?? file, line: (block?.line ?? 0) + line, says: message };
  });
}

function runRegistry(folder: string, args: readonly string[]) {
  const [command = "", ...options] = args;
  return spawnSync(process.execPath, [PROGRAM, "registry", command, REGISTRY, ...options], {
    cwd: folder,
    encoding: "utf8",
  });
}
