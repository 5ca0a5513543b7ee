// Reads one YAML file into nodes that know their lines.
// Owns: size, encoding, depth and syntax. Does not own: what the nodes mean (read-fragment.ts, read-locale.ts).
//   Y1. Nothing throws: what is wrong is reported, and a file that cannot be understood gives no nodes.
//   Y2. Depth is measured before nodes are built: building them is recursive, and a deep file would end the process.
//   Y3. No anchors and aliases, and no tags but YAML's own: what a reviewer reads is what is loaded.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Document, Node } from "yaml";
import { isAlias, isNode, Lexer, LineCounter, Parser, parseDocument, visit } from "yaml";
import { FILE_BYTES_MAX, YAML_DEPTH_MAX } from "./limits.js";
import type { Report } from "./problem.js";

export interface YamlFile {
  /** Relative to the registry's folder. */
  readonly file: string;
  /** Null when the file is empty. */
  readonly root: Node | null;
  lineOf(node: unknown): number;
}

export function readYaml(dir: string, file: string, report: Report): YamlFile | undefined {
  const fail = (rule: string, message: string, line = 1) => report({ file, line, id: null, rule, message });
  const text = readText(join(dir, file), fail);
  if (text === undefined) return undefined;
  const lines = new LineCounter();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const deepLine = findDeepLine(text);
  if (deepLine !== undefined) {
    fail("depth", `nests deeper than ${YAML_DEPTH_MAX} steps`, deepLine);
    return undefined;
  }
  // Keys that are there twice are found where the keys are read: comparing all with all here takes quadratic time.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const broken = [...document.errors, ...document.warnings];
  for (const error of broken) fail("yaml", error.message, lineAt(error.pos[0]));
  const lineOf = (node: unknown) => lineAt(offsetOf(node));
  const aliases = reportAliases(document, (node) => fail("alias", "anchors and aliases are not taken", lineOf(node)));
  return aliases + broken.length === 0 ? { file, root: document.contents, lineOf } : undefined;
}

function readText(path: string, fail: (rule: string, message: string) => void): string | undefined {
  try {
    const found = statSync(path);
    // A pipe would never end, and a folder cannot be read.
    if (!found.isFile()) fail("unreadable", "is not a file");
    else if (found.size > FILE_BYTES_MAX) fail("file-size", `has ${found.size} bytes, over ${FILE_BYTES_MAX}`);
    else return decodeText(readFileSync(path), fail);
  } catch (error) {
    fail("unreadable", `cannot be read (${codeOf(error)})`);
  }
  return undefined;
}

function decodeText(bytes: Uint8Array, fail: (rule: string, message: string) => void): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    fail("encoding", "is not UTF-8");
    return undefined;
  }
}

/** `ENOENT` and the like; never the text, which holds the path of a machine. */
export function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown";
}

/** The line where a text gets too deep. The parser itself keeps a stack of its own and does not recurse. */
function findDeepLine(text: string): number | undefined {
  let line = 1;
  const parser = new Parser(() => {
    line += 1;
  });
  for (const lexeme of new Lexer().lex(text)) {
    const tokens = parser.next(lexeme);
    while (tokens.next().done !== true);
    if (parser.stack.length > YAML_DEPTH_MAX) return line;
  }
  return undefined;
}

/** Reports every anchor and every alias; says how many. */
function reportAliases(document: Document.Parsed, found: (node: Node) => void): number {
  let count = 0;
  visit(document, (_, node) => {
    if (!isNode(node) || !(isAlias(node) || node.anchor !== undefined)) return;
    count += 1;
    found(node);
  });
  return count;
}

function offsetOf(node: unknown): number {
  if (typeof node !== "object" || node === null || !("range" in node)) return 0;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === "number" ? range[0] : 0;
}
