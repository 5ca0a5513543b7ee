// The inside of a line of markdown: code, emphasis, links, breaks.
// Owns: what stands for what within a paragraph. Does not own: paragraphs (parse-blocks.ts), which links are safe
// (safe-link.ts).
//   I1. Nothing is lost: what is no markup is text, every character of it; an unsafe link is shown as it was written.
//   I2. Time grows with the length of the text, whatever it holds: a mark that has no end is looked for once.
//   I3. Half a construct, as it stands while an answer streams, is text until its end comes.

import { LINK_LENGTH_MAX, MARKDOWN_DEPTH_MAX } from "../limits.js";
import { safeLink } from "./safe-link.js";
import type { Inline } from "./tree.js";

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}_]/u;
/** One letter more than a link may have: so a longer address is refused, and not cut. */
const ADDRESS = new RegExp(`https?://[^\\s<>"'\`|]{1,${LINK_LENGTH_MAX}}`, "iy");
const TARGET = /^\(\s*(?!\s)(\S*?)(?:\s+"[^"\n]*")?\s*\)/;

const EMPHASIS = [
  { mark: "**", kind: "strong" },
  { mark: "__", kind: "strong" },
  { mark: "~~", kind: "deleted" },
  { mark: "*", kind: "emphasis" },
  { mark: "_", kind: "emphasis" },
] as const;

export function parseInline(text: string, depth = 0): readonly Inline[] {
  if (depth >= MARKDOWN_DEPTH_MAX) return [{ kind: "text", text }];
  return new InlineScan(text, depth).run();
}

/** A construct, and where the text goes on after it. */
interface Found {
  readonly nodes: readonly Inline[];
  readonly end: number;
}

class InlineScan {
  readonly #text: string;
  readonly #depth: number;
  readonly #nodes: Inline[] = [];
  /** Marks of which the rest of the text has no more (I2). */
  readonly #gone = new Set<string>();
  #plain = "";

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  run(): readonly Inline[] {
    for (let at = 0; at < this.#text.length; ) {
      const found = this.#construct(at);
      if (found === undefined) {
        this.#plain += this.#text[at];
        at += 1;
        continue;
      }
      this.#add(found.nodes);
      at = found.end;
    }
    this.#flush();
    return this.#nodes;
  }

  #add(nodes: readonly Inline[]): void {
    for (const node of nodes) {
      if (node.kind === "text") this.#plain += node.text;
      else {
        this.#flush();
        this.#nodes.push(node);
      }
    }
  }

  #flush(): void {
    if (this.#plain !== "") this.#nodes.push({ kind: "text", text: this.#plain });
    this.#plain = "";
  }

  #construct(at: number): Found | undefined {
    switch (this.#text[at]) {
      case "\\":
        return this.#escape(at);
      case "`":
        return this.#code(at);
      case "[":
        return this.#link(at);
      case "<":
        return this.#angled(at);
      case "\n":
        return { nodes: [{ kind: "break" }], end: at + 1 };
      case "*":
      case "_":
      case "~":
        return this.#emphasis(at);
      case "h":
      case "H":
        return this.#bareAddress(at);
      default:
        return undefined;
    }
  }

  #escape(at: number): Found | undefined {
    const next = this.#text[at + 1] ?? "";
    if (next === "" || !PUNCTUATION.test(next)) return undefined;
    return { nodes: [{ kind: "text", text: next }], end: at + 2 };
  }

  #code(at: number): Found | undefined {
    let length = 1;
    while (this.#text[at + length] === "`") length += 1;
    const mark = "`".repeat(length);
    const end = this.#find(mark, at + length);
    // A run of marks without an end is text as a whole: its tail is no shorter mark.
    if (end === -1) return { nodes: [{ kind: "text", text: mark }], end: at + length };
    const inside = this.#text.slice(at + length, end).replaceAll("\n", " ");
    const isPadded = inside.startsWith(" ") && inside.endsWith(" ") && /[^ ]/.test(inside);
    const text = isPadded ? inside.slice(1, -1) : inside;
    return { nodes: [{ kind: "code", text }], end: end + length };
  }

  #emphasis(at: number): Found | undefined {
    const rule = EMPHASIS.find(({ mark }) => this.#text.startsWith(mark, at));
    if (rule === undefined) return undefined;
    const { mark, kind } = rule;
    const from = at + mark.length;
    const before = this.#text[at - 1] ?? " ";
    const isOpening = /\S/.test(this.#text[from] ?? " ") && !(mark.startsWith("_") && WORD.test(before));
    const end = isOpening ? this.#findClosing(mark, from) : -1;
    if (end === -1) return { nodes: [{ kind: "text", text: mark }], end: from };
    const children = parseInline(this.#text.slice(from, end), this.#depth + 1);
    return { nodes: [{ kind, children }], end: end + mark.length };
  }

  #findClosing(mark: string, from: number): number {
    for (let end = this.#find(mark, from + 1); end !== -1; end = this.#find(mark, end + mark.length)) {
      const isInsideLonger = mark.length === 1 && (this.#text[end + 1] === mark || this.#text[end - 1] === mark);
      const isBeforeWord = mark.startsWith("_") && WORD.test(this.#text[end + mark.length] ?? " ");
      if (/\S/.test(this.#text[end - 1] ?? " ") && !isInsideLonger && !isBeforeWord) return end;
    }
    return -1;
  }

  #find(mark: string, from: number): number {
    if (this.#gone.has(mark)) return -1;
    const found = this.#text.indexOf(mark, from);
    if (found === -1) this.#gone.add(mark);
    return found;
  }

  #link(at: number): Found | undefined {
    const middle = this.#find("](", at + 1);
    if (middle === -1) return undefined;
    const match = TARGET.exec(this.#text.slice(middle + 1, middle + 1 + LINK_LENGTH_MAX));
    const label = this.#text.slice(at + 1, middle);
    if (match === null || label.includes("\n\n")) {
      return { nodes: [{ kind: "text", text: this.#text.slice(at, middle + 2) }], end: middle + 2 };
    }
    const end = middle + 1 + match[0].length;
    const href = safeLink(match[1] ?? "");
    // I1
    if (href === undefined) return { nodes: [{ kind: "text", text: this.#text.slice(at, end) }], end };
    return { nodes: [{ kind: "link", href, children: withoutLinks(parseInline(label, this.#depth + 1)) }], end };
  }

  /** `<https://…>`; every other tag is text. */
  #angled(at: number): Found | undefined {
    const match = /^<([a-z]+:[^\s<>]+)>/i.exec(this.#text.slice(at, at + LINK_LENGTH_MAX));
    const address = match?.[1];
    const href = address === undefined ? undefined : safeLink(address);
    if (address === undefined || href === undefined) return undefined;
    return {
      nodes: [{ kind: "link", href, children: [{ kind: "text", text: address }] }],
      end: at + address.length + 2,
    };
  }

  #bareAddress(at: number): Found | undefined {
    if (WORD.test(this.#text[at - 1] ?? " ")) return undefined;
    ADDRESS.lastIndex = at;
    // Punctuation at the end belongs to the sentence.
    const address = ADDRESS.exec(this.#text)?.[0].replace(/[.,:;!?)\]}*_~]+$/, "");
    const href = address === undefined ? undefined : safeLink(address);
    if (address === undefined || href === undefined) return undefined;
    return { nodes: [{ kind: "link", href, children: [{ kind: "text", text: address }] }], end: at + address.length };
  }
}

/** A link in a link's label is its own text. */
function withoutLinks(nodes: readonly Inline[]): readonly Inline[] {
  return nodes.flatMap((node) => {
    if (node.kind === "link") return withoutLinks(node.children);
    return "children" in node ? [{ ...node, children: withoutLinks(node.children) }] : [node];
  });
}
