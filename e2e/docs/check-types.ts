// Compiles all the TypeScript of the pages, in one go, with the compiler's settings of this repository and the status ids of
// the pages' own registry, as an author would.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Finding, Page } from "./page.js";
import { programText } from "./program.js";
import { ROOT } from "./project.js";

interface Source {
  readonly page: string;
  readonly text: string;
  /** The line of the page before the source's first. */
  readonly offset: number;
}

/** `generated`: files of the folder that belong to the project and stand on no page. */
export function checkTypes(pages: readonly Page[], folder: string, generated: readonly string[]): Finding[] {
  const sources = sourcesOf(pages, folder);
  const program = compile(sources, [...sources.keys(), ...generated.map((path) => join(folder, path))]);
  return [...sources].flatMap(([path, { page, offset }]) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start = 0 }) => ({
      page,
      line: offset + (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
      says: ts.flattenDiagnosticMessageText(messageText, "\n"),
    }));
  });
}

function sourcesOf(pages: readonly Page[], folder: string): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const page of pages) {
    const text = programText(page);
    if (text !== undefined) sources.set(join(folder, `${page.name}.mts`), { page: page.name, text, offset: 0 });
    for (const block of page.blocks) {
      if (block.kind !== "file" || !block.path.endsWith("ts")) continue;
      sources.set(join(folder, block.path), { page: page.name, text: block.code, offset: block.line });
    }
  }
  return sources;
}

function compile(sources: ReadonlyMap<string, Source>, names: readonly string[]): ts.Program {
  const configFile = join(ROOT, "tsconfig.check.json");
  const { config } = ts.readConfigFile(configFile, (path) => readFileSync(path, "utf8"));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT, undefined, configFile);
  // Agents are modules wherever they lie (hooks/agent-modules.mjs), and a folder without a package.json is none to tsc.
  const settings = { ...options, moduleDetection: ts.ModuleDetectionKind.Force };
  const host = ts.createCompilerHost(settings);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.getSourceFile = (path, target, ...rest) => {
    const source = sources.get(path);
    if (source === undefined) return getSourceFile(path, target, ...rest);
    return ts.createSourceFile(path, source.text, {
      languageVersion: ts.ScriptTarget.ES2022,
      impliedNodeFormat: ts.ModuleKind.ESNext,
    });
  };
  return ts.createProgram(names, settings, host);
}
