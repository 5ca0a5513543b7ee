// Rules about the syntax inside a file.
//   S1. A function of a source fits a screen.
//   S2. Exports are named one by one; a default is for what a tool or a loader reads.
//   S3. Only TypeScript that can be erased: no enums, no parameter properties, no namespaces. No `any`.
//   S4. A failure is heard: an empty catch holds at least the reason for its silence.
//   S5. Every test runs: none is skipped, singled out or put off. Nothing in the code is put off either.

import ts from "typescript";
import type { Finding } from "./finding.js";
import { commentsOf, lineOf, parse, visitNodes } from "./syntax.js";
import { rootOf } from "./test-calls.js";
import type { Tree } from "./tree.js";
import { isCode, isTest } from "./tree.js";

const FUNCTION_LINES_MAX = 70;
const MAY_DEFAULT = /\.config\.[cm]?[jt]s$|(?:^|\/)agents\/(?:[^/]+|[^/]+\/agent)\.ts$/;
const NOT_RUN = new Set(["skip", "skipIf", "runIf", "only", "todo", "fails"]);
const PUT_OFF = /\b(?:TODO|FIXME|XXX)\b/;

type Rule = (node: ts.Node, file: ts.SourceFile) => { rule: string; says: string } | undefined;

const RULES: readonly Rule[] = [checkFunction, checkExport, checkErasable, checkCatch, checkTestRuns];

export function checkSyntax(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [path, text] of tree) {
    if (!isCode(path)) continue;
    const file = parse(path, text);
    visitNodes(file, (node) => {
      for (const rule of RULES) {
        const broken = rule(node, file);
        if (broken) findings.push({ file: path, line: lineOf(file, node), ...broken });
      }
    });
    if (!PUT_OFF.test(text)) continue;
    for (const { text: comment, position } of commentsOf(file))
      if (PUT_OFF.test(comment))
        findings.push({ file: path, line: lineOf(file, position), rule: "put-off", says: "do it or drop it" });
  }
  return findings;
}

function checkFunction(node: ts.Node, file: ts.SourceFile): ReturnType<Rule> {
  if (!ts.isFunctionLike(node) || isTest(file.fileName)) return undefined;
  const lines = linesOf(node, file) - linesOfNested(node, file);
  if (lines <= FUNCTION_LINES_MAX) return undefined;
  return { rule: "function-length", says: `${lines} lines, over ${FUNCTION_LINES_MAX}: a function fits a screen` };
}

function linesOf(node: ts.Node, file: ts.SourceFile): number {
  return lineOf(file, node.getEnd()) - lineOf(file, node) + 1;
}

// A function that makes an object out of closures is as long as all of them; each is judged by itself, and the maker by
// what is its own. A nested one shares its first and last line with what stands around it.
function linesOfNested(node: ts.Node, file: ts.SourceFile): number {
  let lines = 0;
  ts.forEachChild(node, (child) => {
    lines += ts.isFunctionLike(child) ? Math.max(0, linesOf(child, file) - 2) : linesOfNested(child, file);
  });
  return lines;
}

function checkExport(node: ts.Node, file: ts.SourceFile): ReturnType<Rule> {
  if (ts.isExportDeclaration(node) && !(node.exportClause && ts.isNamedExports(node.exportClause)))
    return { rule: "exports", says: "list the exports one by one: `export *` hides what is public" };
  const isDefault =
    ts.isExportAssignment(node) ||
    node.kind === ts.SyntaxKind.DefaultKeyword ||
    (ts.isExportSpecifier(node) && node.name.text === "default");
  if (!isDefault || ts.isDefaultClause(node.parent) || MAY_DEFAULT.test(file.fileName)) return undefined;
  return { rule: "exports", says: "export it by name, not as default" };
}

function checkErasable(node: ts.Node): ReturnType<Rule> {
  if (ts.isEnumDeclaration(node)) return { rule: "erasable", says: "use a union of literals, not an enum" };
  if (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent))
    return { rule: "erasable", says: "declare the field; parameter properties cannot be erased" };
  if (ts.isModuleDeclaration(node) && !(node.flags & ts.NodeFlags.GlobalAugmentation) && !ts.isStringLiteral(node.name))
    return { rule: "erasable", says: "use a module, not a namespace" };
  if (node.kind === ts.SyntaxKind.AnyKeyword) return { rule: "any", says: "say what it is, or `unknown`" };
  return undefined;
}

function checkCatch(node: ts.Node, file: ts.SourceFile): ReturnType<Rule> {
  const block = ts.isCatchClause(node) ? node.block : handlerOf(node)?.body;
  if (!block || !ts.isBlock(block) || block.statements.length > 0) return undefined;
  if (/\/[/*]/.test(block.getText(file))) return undefined;
  return { rule: "empty-catch", says: "somebody must hear of it; if silence is right, say why in a comment" };
}

/** The function given to `.catch(…)`. */
function handlerOf(node: ts.Node): ts.ArrowFunction | ts.FunctionExpression | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  if (node.expression.name.text !== "catch") return undefined;
  return node.arguments.find((argument) => ts.isArrowFunction(argument) || ts.isFunctionExpression(argument));
}

function checkTestRuns(node: ts.Node, file: ts.SourceFile): ReturnType<Rule> {
  if (!isTest(file.fileName)) return undefined;
  if (ts.isPropertyAccessExpression(node) && NOT_RUN.has(node.name.text) && rootOf(node) !== undefined)
    return { rule: "every-test-runs", says: `no .${node.name.text}: a test runs or is deleted` };
  if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name) || !NOT_RUN.has(node.name.text)) return undefined;
  const call = node.parent.parent;
  if (!ts.isCallExpression(call) || rootOf(call) === undefined) return undefined;
  return { rule: "every-test-runs", says: `no { ${node.name.text} }: a test runs or is deleted` };
}
