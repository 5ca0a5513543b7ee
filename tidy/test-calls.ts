// Finds the tests of a file and the names they are given.
// Owns: what counts as a test and as its name. Does not own: what a good name is (test-names.ts).

import ts from "typescript";
import { lineOf, parse, visitNodes } from "./syntax.js";

export interface TestCall {
  readonly kind: "test" | "group";
  readonly line: number;
  /** The name as written, with COMPUTED for each part that is not in the source. */
  readonly name: string;
  /** Whether the whole name is in the source. */
  readonly isLiteral: boolean;
}

/** Stands in a name for what only a run can tell. */
export const COMPUTED = "{…}";

const ROOTS: ReadonlyMap<string, TestCall["kind"]> = new Map([
  ["test", "test"],
  ["it", "test"],
  ["bench", "test"],
  ["describe", "group"],
  ["suite", "group"],
]);

/** `test`, `test.each(…)` and `describe.concurrent` all come from one of the roots; anything else from none. */
export function rootOf(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return ROOTS.has(node.text) ? node.text : undefined;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootOf(node.expression);
  return ts.isTaggedTemplateExpression(node) ? rootOf(node.tag) : undefined;
}

export function testCallsOf(path: string, text: string): TestCall[] {
  const file = parse(path, text);
  const calls: TestCall[] = [];
  visitNodes(file, (node) => {
    if (!ts.isCallExpression(node) || node.arguments.length < 2) return;
    const kind = ROOTS.get(rootOf(node.expression) ?? "");
    const name = node.arguments[0];
    // `test.each(a, b)` takes a table, not a name; `/x/.test(a, b)` has no root.
    if (kind === undefined || name === undefined || isTable(node)) return;
    const written = writtenText(name);
    calls.push({ kind, line: lineOf(file, node), name: written, isLiteral: !written.includes(COMPUTED) });
  });
  return calls;
}

function isTable({ expression }: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && /^(?:each|for)$/.test(expression.name.text);
}

function writtenText(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `${COMPUTED}${literal.text}`).join("");
  if (ts.isBinaryExpression(node)) return writtenText(node.left) + writtenText(node.right);
  return COMPUTED;
}

/** Every string of a file: a name that is computed is made of some of them. */
export function stringsOf(path: string, text: string): string[] {
  const strings: string[] = [];
  visitNodes(parse(path, text), (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) strings.push(node.text);
  });
  return strings;
}
