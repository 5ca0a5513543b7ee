// Compiles agent files and whatever they import, and says what is wrong with their types.
// Owns: which findings of the compiler are a reason to refuse a file. Does not own: the compiler's settings
// (compiler-settings.ts), which compiler it is (type-check-thread.ts).
//   J1. What loading a file decides is not decided here: a module that the compiler does not find, or of whose format it
//       thinks otherwise, was found and run, or is refused by its name (load-agents.ts).
//   J2. What is said only because a package of types is missing is no mistake of the file's.
//   J3. Of a module that was not found nothing is known, so that nobody can say what its callers are handed.
//   J4. Packages are not the author's: what is found in them is passed over.

import type ts from "typescript";
import type { TypeScript } from "./compiler-settings.js";
import { readCompilerSettings } from "./compiler-settings.js";
import { TYPE_MESSAGE_LENGTH_MAX } from "./limits.js";

export interface TypeProblem {
  readonly file: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

// J1. Not found, or not without an extension, a setting or an attribute.
const NOT_FOUND = [2307, 2732, 2792, 2834, 2835, 5097, 6137, 6142, 7016];
// J1. What a module may do that another format may not: `await` and `import.meta` outside of functions, and the other way.
const OTHER_FORMAT = [1192, 1259, 1286, 1287, 1295, 1309, 1343, 1375, 1378, 1432, 1470, 1471, 1479, 1541, 1542, 1543];
// J2. "Do you need to install type definitions for …?", "… to change your target library?"
const NO_TYPES = [2503, 2550, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2593, 2688, 2867, 2868];
const PASSED_OVER: ReadonlySet<number> = new Set([...NOT_FOUND, ...OTHER_FORMAT, ...NO_TYPES]);

/** A call with type arguments of what has no type. */
const UNTYPED_CALL = 2347;

export interface AgentSources {
  /** Of the agents: whole paths, here and below. */
  readonly folder: string;
  readonly files: readonly string[];
}

export function judgeTypes(typescript: TypeScript, { folder, files }: AgentSources): TypeProblem[] {
  const { options, declarations, home } = readCompilerSettings(typescript, folder);
  const host = createHost(typescript, { options, folder, home });
  const program = typescript.createProgram([...files, ...declarations], options, host);
  const found = program
    .getSourceFiles()
    .filter((source) => isAuthors(source, program))
    .flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]);
  const isBlind = found.some(({ code }) => NOT_FOUND.includes(code) || NO_TYPES.includes(code));
  return found.flatMap((diagnostic) => {
    const { code, file, start = 0 } = diagnostic;
    if (file === undefined || PASSED_OVER.has(code) || (isBlind && isGuess(code))) return [];
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    return [{ file: file.fileName, line: line + 1, column: character + 1, code, message: sentenceOf(diagnostic) }];
  });
}

interface HostOptions {
  readonly options: ts.CompilerOptions;
  readonly folder: string;
  readonly home: string;
}

function createHost(typescript: TypeScript, { options, folder, home }: HostOptions): ts.CompilerHost {
  const host = typescript.createCompilerHost(options);
  const { getSourceFile } = host;
  // The compiler's paths have slashes everywhere.
  const root = `${folder.replaceAll("\\", "/")}/`;
  host.getCurrentDirectory = () => home;
  // Comments hold no types in TypeScript, and reading them takes a third of the time.
  host.jsDocParsingMode = typescript.JSDocParsingMode?.ParseNone;
  // A folder without a package.json holds no modules in the compiler's eyes; its agents are loaded as such.
  host.getSourceFile = (path, settings, ...rest) => {
    const isAgents = path.startsWith(root) && !path.includes("/node_modules/");
    if (!isAgents || typeof settings !== "object") return getSourceFile(path, settings, ...rest);
    return getSourceFile(path, { ...settings, impliedNodeFormat: typescript.ModuleKind.ESNext }, ...rest);
  };
  return host;
}

// J4
function isAuthors(source: ts.SourceFile, program: ts.Program): boolean {
  const { isDeclarationFile, fileName } = source;
  return !(isDeclarationFile || fileName.includes("/node_modules/") || program.isSourceFileFromExternalLibrary(source));
}

// J3. The sentences from 7000 on are about what has no type.
function isGuess(code: number): boolean {
  return (code >= 7000 && code < 8000) || code === UNTYPED_CALL;
}

/** The compiler's first sentence and, where it goes on, its last, which is the closest to the mistake. */
function sentenceOf({ messageText }: ts.Diagnostic): string {
  if (typeof messageText === "string") return shorten(messageText);
  let last: ts.DiagnosticMessageChain = messageText;
  while (last.next?.[0] !== undefined) last = last.next[0];
  const first = shorten(messageText.messageText);
  return last === messageText ? first : `${first}: ${shorten(last.messageText)}`;
}

function shorten(text: string): string {
  const sentence = text.replace(/\.$/, "");
  return sentence.length > TYPE_MESSAGE_LENGTH_MAX ? `${sentence.slice(0, TYPE_MESSAGE_LENGTH_MAX)}…` : sentence;
}
