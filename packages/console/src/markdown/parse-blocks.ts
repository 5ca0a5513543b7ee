// Lines of markdown into blocks: headings, paragraphs, lists, quotes, tables, code.
// Owns: what lines stand for. Does not own: what is inside a line (parse-inline.ts).
//   B1. No text is lost, and none is markup of the page: HTML is text like any other.
//   B2. Each line is looked at once per level, and levels are counted: what stands deeper is a paragraph.

import { MARKDOWN_DEPTH_MAX } from "../limits.js";
import { parseInline } from "./parse-inline.js";
import { isTableStart, readTable } from "./read-table.js";
import type { Block } from "./tree.js";

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:( {1,4})|$)/;

export function parseBlocks(text: string): readonly Block[] {
  return parseLines(text.split("\n"), 0);
}

/** Reads one block from its first line; gives how many lines it took. */
type Reader = (lines: readonly string[], at: number, depth: number) => { block: Block; count: number } | undefined;

const READERS: readonly Reader[] = [readFence, readHeading, readRule, readQuote, readList, readTableBlock];

function parseLines(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  const readers = depth < MARKDOWN_DEPTH_MAX ? READERS : [];
  let paragraph: string[] = [];
  const close = () => {
    const text = paragraph.join("\n").trim();
    if (text !== "") blocks.push({ kind: "paragraph", children: parseInline(text, depth) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const read = firstOf(readers, lines, at, depth);
    if (read === undefined) {
      const line = lines[at] ?? "";
      if (line.trim() === "") close();
      else paragraph.push(line.trim());
      at += 1;
      continue;
    }
    close();
    blocks.push(read.block);
    at += read.count;
  }
  close();
  return blocks;
}

function firstOf(readers: readonly Reader[], lines: readonly string[], at: number, depth: number) {
  for (const reader of readers) {
    const read = reader(lines, at, depth);
    if (read !== undefined) return read;
  }
  return undefined;
}

function readHeading(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  const match = HEADING.exec(lines[at] ?? "");
  if (match === null) return undefined;
  const level = match[1]?.length ?? 1;
  return { block: { kind: "heading", level, children: parseInline(headingText(match[2] ?? ""), depth) }, count: 1 };
}

/** Marks may close a heading too. */
function headingText(text: string): string {
  return text
    .trimEnd()
    .replace(/[ \t]#+$/, "")
    .trimEnd();
}

function readRule(lines: readonly string[], at: number): ReturnType<Reader> {
  return RULE.test(lines[at] ?? "") ? { block: { kind: "rule" }, count: 1 } : undefined;
}

/** One without an end goes on to the end of the text: it is still streaming. */
function readFence(lines: readonly string[], at: number): ReturnType<Reader> {
  const match = FENCE.exec(lines[at] ?? "");
  const mark = match?.[1];
  if (mark === undefined) return undefined;
  let end = at + 1;
  while (end < lines.length && !isFenceEnd(lines[end] ?? "", mark)) end += 1;
  const text = lines.slice(at + 1, end).join("\n");
  return { block: { kind: "code", language: match?.[2]?.trim().split(/\s/, 1)[0] ?? "", text }, count: end + 1 - at };
}

function isFenceEnd(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && text === (mark[0] ?? "").repeat(text.length);
}

function readQuote(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? "")) end += 1;
  if (end === at) return undefined;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { block: { kind: "quote", children: parseLines(inside, depth + 1) }, count: end - at };
}

function readList(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  const first = ITEM.exec(lines[at] ?? "");
  if (first === null) return undefined;
  const isNumbered = first[3] !== undefined;
  const items: (readonly Block[])[] = [];
  let end = at;
  while (end < lines.length) {
    const match = ITEM.exec(lines[end] ?? "");
    if (match === null || (match[3] !== undefined) !== isNumbered || RULE.test(lines[end] ?? "")) break;
    const { inside, count } = itemLines(lines, end, match);
    items.push(parseLines(inside, depth + 1));
    end += count;
  }
  return { block: { kind: "list", start: isNumbered ? Number(first[3]) : undefined, items }, count: end - at };
}

/** The lines of one item, without what indents them. */
function itemLines(lines: readonly string[], at: number, match: RegExpExecArray) {
  const width = match[0].length;
  const inside = [(lines[at] ?? "").slice(width)];
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const indent = line.length - line.trimStart().length;
    const isBlank = line.trim() === "";
    if (isBlank) inside.push("");
    // Two spaces are enough for what a model writes below a number.
    else if (indent >= Math.min(width, 2)) inside.push(line.slice(Math.min(indent, width)));
    else if (inside.at(-1) !== "" && !startsBlock(line)) inside.push(line);
    else break;
  }
  return { inside, count: end - at };
}

function startsBlock(line: string): boolean {
  return [HEADING, RULE, FENCE, QUOTE, ITEM].some((pattern) => pattern.test(line));
}

function readTableBlock(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  return isTableStart(lines, at) ? readTable(lines, at, depth) : undefined;
}
