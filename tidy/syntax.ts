// Reads a file's syntax with the TypeScript compiler: one parse per file, and the few questions the rules share.
// Owns: positions, comments, imports. Does not own: what is allowed.

import ts from "typescript";

const parsed = new Map<string, ts.SourceFile>();

export function parse(path: string, text: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  parsed.set(path, file);
  return file;
}

/** The line of a node, or of a position in the text, from 1. */
export function lineOf(file: ts.SourceFile, at: ts.Node | number): number {
  const position = typeof at === "number" ? at : at.getStart(file);
  return file.getLineAndCharacterOfPosition(position).line + 1;
}

export function visitNodes(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => visitNodes(child, visit));
}

export interface Comment {
  readonly text: string;
  readonly position: number;
}

/** Every comment, found between the tokens, so that text inside strings is never taken for one. */
export function commentsOf(file: ts.SourceFile): Comment[] {
  const comments: Comment[] = [];
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    const start = node.getFullStart();
    const trivia = file.text.slice(start, node.getStart(file));
    for (const match of trivia.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g))
      comments.push({ text: match[0], position: start + match.index });
  };
  visit(file);
  return comments;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** Imports, re-exports, `import()` and `import("…")` types: everything that makes one file need another. */
export function importsOf(path: string, text: string): Import[] {
  const file = parse(path, text);
  const imports: Import[] = [];
  visitNodes(file, (node) => {
    const named = specifierOf(node);
    if (named !== undefined && ts.isStringLiteralLike(named))
      imports.push({ specifier: named.text, line: lineOf(file, node) });
  });
  return imports;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === "require";
  return isImport || isRequire ? node.arguments[0] : undefined;
}
