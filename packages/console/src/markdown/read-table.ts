// A table of markdown: a row of heads, a row of dashes, rows.
//   T1. Every row has as many cells as there are heads: missing ones are empty, those too many are left out.

import { TABLE_COLUMNS_MAX } from "../limits.js";
import { parseInline } from "./parse-inline.js";
import type { Align, Block, Inline } from "./tree.js";

const DASHES = /^:?-+:?$/;

export function isTableStart(lines: readonly string[], at: number): boolean {
  const [head = "", dashes = ""] = [lines[at], lines[at + 1]];
  if (!head.includes("|") || !dashes.includes("-")) return false;
  const below = cellsOf(dashes);
  if (below.length > TABLE_COLUMNS_MAX || !below.every((cell) => DASHES.test(cell))) return false;
  return cellsOf(head).length === below.length;
}

export function readTable(lines: readonly string[], at: number, depth: number): { block: Block; count: number } {
  const head = cellsOf(lines[at] ?? "");
  const align = cellsOf(lines[at + 1] ?? "").map(alignOf);
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end += 1;
  const inline = (cell: string) => parseInline(cell, depth);
  const rows = lines.slice(at + 2, end).map((line): readonly (readonly Inline[])[] => {
    const cells = cellsOf(line);
    // T1
    return head.map((_, column) => inline(cells[column] ?? ""));
  });
  return { block: { kind: "table", align, head: head.map(inline), rows }, count: end - at };
}

function alignOf(dashes: string): Align {
  const [starts, ends] = [dashes.startsWith(":"), dashes.endsWith(":")];
  if (starts && ends) return "center";
  return ends ? "end" : starts ? "start" : undefined;
}

/** `|` separates cells, unless a backslash stands before it. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  const text = line.trim().replace(/^\|/, "");
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (letter === "\\" && text[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (letter === "|") {
      cells.push(cell.trim());
      cell = "";
    } else cell += letter;
  }
  if (cell.trim() !== "" || cells.length === 0) cells.push(cell.trim());
  return cells;
}
