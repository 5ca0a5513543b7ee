// How the agents of a folder are compiled, in the words of their own TypeScript: by the nearest tsconfig.json, or as Node
// would run them.
// Owns: the settings. Does not own: what is made of what the compiler finds (judge-types.ts).
//   C1. A file is a module wherever it lies, and may be imported by its own name: so it is loaded (load-agents.ts).
//   C2. Nothing is written, and no library is judged.
//   C3. What makes no difference to a turn is not asked for: a name that is not used, syntax that cannot be erased.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type ts from "typescript";

export type TypeScript = typeof ts;

export interface CompilerSettings {
  readonly options: ts.CompilerOptions;
  /** What declares names and modules for everybody: no file imports it. */
  readonly declarations: readonly string[];
  /** From where the compiler looks for what has no other place. */
  readonly home: string;
}

const DECLARATION = /\.d\.m?ts$/;
const TYPES_FROM_MAJOR = 6;

export function readCompilerSettings(typescript: TypeScript, folder: string): CompilerSettings {
  const { options, declarations, home } = readConfig(typescript, folder) ?? defaults(typescript, folder);
  const types = options.types ?? typesUnasked(typescript, home);
  return { options: { ...options, ...(types && { types }), ...overrides(typescript) }, declarations, home };
}

function overrides({ ModuleDetectionKind }: TypeScript): ts.CompilerOptions {
  return {
    // C1
    moduleDetection: ModuleDetectionKind.Force,
    allowImportingTsExtensions: true,
    // C2
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    skipLibCheck: true,
    skipDefaultLibCheck: true,
    // C3
    noUnusedLocals: false,
    noUnusedParameters: false,
    erasableSyntaxOnly: false,
    isolatedDeclarations: false,
  };
}

function readConfig(typescript: TypeScript, folder: string): CompilerSettings | undefined {
  const { sys } = typescript;
  const path = typescript.findConfigFile(folder, (name) => sys.fileExists(name));
  if (path === undefined) return undefined;
  // Of one with a mistake in it, what can be read holds: it is the author's other tools that tell of it.
  const { config = {} } = typescript.readConfigFile(path, (name) => sys.readFile(name)) as {
    readonly config?: unknown;
  };
  const home = dirname(path);
  const { options, fileNames } = typescript.parseJsonConfigFileContent(config, sys, home, undefined, path);
  return { options, declarations: fileNames.filter((name) => DECLARATION.test(name)), home };
}

function defaults(typescript: TypeScript, folder: string): CompilerSettings {
  const hasNode = hasNodeTypes(folder);
  const { options } = typescript.convertCompilerOptionsFromJson(
    {
      target: "esnext",
      module: "nodenext",
      strict: true,
      // Node's own types have what a server shares with browsers, and are quicker to read.
      lib: hasNode ? ["esnext"] : ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
      types: hasNode ? ["node"] : [],
    },
    folder,
  );
  const declarations = readdirSync(folder).filter((name) => DECLARATION.test(name));
  return { options, declarations: declarations.map((name) => join(folder, name)), home: folder };
}

/** Until version 5 whatever is installed is taken; since then nothing is, and a process is there for every agent. */
function typesUnasked({ versionMajorMinor }: TypeScript, home: string): string[] | undefined {
  return Number.parseInt(versionMajorMinor, 10) >= TYPES_FROM_MAJOR && hasNodeTypes(home) ? ["node"] : undefined;
}

function hasNodeTypes(folder: string): boolean {
  try {
    createRequire(join(folder, "agent.ts")).resolve("@types/node/package.json");
    return true;
  } catch {
    // Not installed.
    return false;
  }
}
