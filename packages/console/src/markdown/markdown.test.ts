import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Markdown } from "./markdown.jsx";
import { parseBlocks } from "./parse-blocks.js";
import { splitBlocks } from "./split-blocks.js";
import { ATTACKS } from "./testing/attacks.js";

const html = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));
const inside = (text: string) => html(text).replace(/^<p dir="auto">|<\/p>$/g, "");

describe("markdown", () => {
  test("has emphasis, code and breaks, and what is not closed stays as it was written", () => {
    expect(inside("a **b** *c* `d` ~~e~~")).toBe(
      'a <strong>b</strong> <em>c</em> <code dir="ltr">d</code> <del>e</del>',
    );
    expect(inside("**a *b* c**")).toBe("<strong>a <em>b</em> c</strong>");
    expect(inside("one\ntwo")).toBe("one\ntwo");
    for (const open of ["**a", "a*b", "`a", "a_b_c", "2 * 3 * 4", "[a", "[a](", "~~a", "**"])
      expect(inside(open)).toBe(open);
    expect(inside("\\*a\\*")).toBe("*a*");
  });

  test("has headings below those of the page, rules and quotes", () => {
    expect(html("# a\n## b\n###### c")).toBe(
      '<h3 dir="auto" class="md-h1">a</h3><h4 dir="auto" class="md-h2">b</h4><h6 dir="auto" class="md-h6">c</h6>',
    );
    expect(html("a\n\n---\n\n> b\n> c")).toBe(
      '<p dir="auto">a</p><hr/><blockquote><p dir="auto">b\nc</p></blockquote>',
    );
    expect(html("#hashtag")).toBe('<p dir="auto">#hashtag</p>');
  });

  test("has lists in lists, numbers that begin anywhere, and items of several blocks", () => {
    expect(html("- a\n- b\n  - c\n- d").replaceAll(' dir="auto"', "")).toBe(
      "<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li><li>d</li></ul>",
    );
    expect(html("3. a\n4. b").replaceAll(' dir="auto"', "")).toBe('<ol start="3"><li>a</li><li>b</li></ol>');
    expect(html("- a\n\n  b\n- c").replaceAll(' dir="auto"', "")).toBe("<ul><li><p>a</p><p>b</p></li><li>c</li></ul>");
  });

  test("has code that nothing in it can end, also before its end has come", () => {
    expect(parseBlocks("```ts\na < b\n**c**\n```\nd")).toMatchObject([
      { kind: "code", language: "ts", text: "a < b\n**c**" },
      { kind: "paragraph" },
    ]);
    expect(parseBlocks("```\na\n\nb")).toEqual([{ kind: "code", language: "", text: "a\n\nb" }]);
    expect(splitBlocks("```\na\n\n# b\n```\n\nc")).toEqual(["```\na\n\n# b\n```", "c"]);
  });

  test("has tables, with as many cells in each row as there are heads", () => {
    const [table] = parseBlocks("| a | b |\n| :-- | --: |\n| 1 | 2 | 3 |\n| 4 |\n\nafter");
    expect(table).toMatchObject({ kind: "table", align: ["start", "end"] });
    expect(table?.kind === "table" && table.rows.map((row) => row.map((cell) => cell[0] ?? null))).toEqual([
      [
        { kind: "text", text: "1" },
        { kind: "text", text: "2" },
      ],
      [{ kind: "text", text: "4" }, null],
    ]);
    expect(html("a | b\nc | d")).toBe('<p dir="auto">a | b\nc | d</p>');
  });

  test("links to http, https and mailto, without a word about this page", () => {
    const link = (href: string, label: string) =>
      `<a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a>`;
    expect(inside("[a **b**](https://example.org/x)")).toBe(link("https://example.org/x", "a <strong>b</strong>"));
    expect(inside("<mailto:a@example.org>")).toBe(link("mailto:a@example.org", "mailto:a@example.org"));
    expect(inside("see https://example.org/x.")).toBe(`see ${link("https://example.org/x", "https://example.org/x")}.`);
    expect(inside("[a](/relative) [b](//host) [c](ftp://host)")).toBe("[a](/relative) [b](//host) [c](ftp://host)");
  });
});

/** Everything that markdown may become; nothing else has a meaning to a browser. */
const ELEMENTS = /^<\/?(?:p|h[3-6]|ul|ol|li|blockquote|hr|table|thead|tbody|tr|th|td|pre|code|strong|em|del|a|div)\b/;
const ATTRIBUTES =
  /^(?:dir|class|start|scope|data-align|tabindex|role|aria-label)="[^"]*"$|^href="(?:https?:|mailto:)[^"]*"$|^target="_blank"$|^rel="noopener noreferrer"$/;

function judge(markup: string): string[] {
  return [...markup.matchAll(/<[^>]*>/g)].flatMap(([tag]) => {
    const attributes = [...tag.matchAll(/[^\s=<>/]+="[^"]*"/g)].map(([attribute]) => attribute);
    const rest = tag.replace(/^<\/?\w+/, "").replaceAll(/[^\s=<>/]+="[^"]*"/g, "");
    const isKnown = ELEMENTS.test(tag) && /^[\s/>]*$/.test(rest);
    return isKnown && attributes.every((attribute) => ATTRIBUTES.test(attribute)) ? [] : [tag];
  });
}

describe("what a model writes", () => {
  test.each(ATTACKS)("is text and never markup: %s", (attack) => {
    for (const text of [
      attack,
      `**${attack}**`,
      `- ${attack}`,
      `| ${attack} |\n| - |\n| ${attack} |`,
      `[a](${attack})`,
    ])
      expect(judge(html(text)), text).toEqual([]);
  });

  test("is shown whole, whatever naughty strings are in it", () => {
    for (const text of naughtyStrings) {
      const markup = html(text);
      expect(judge(markup), text).toEqual([]);
      const shown = textOf(markup).replace(/[\s*_~`#>|\\+\-\d.)]/g, "");
      expect(shown, text).toContain(text.replace(/[\s*_~`#>|\\+\-\d.)]/g, "").replace(/^<(https?:.*)>$/, "$1"));
    }
  });

  test("takes time by its length only: nothing in it makes the parser look again and again", () => {
    const hostile = [
      "*",
      "_",
      "**a ",
      "[",
      "[a] ",
      "[](",
      "`",
      "``a`",
      "~~",
      "http://[",
      "> ",
      "- ",
      "  - ",
      "|",
      "\\",
      "<a:",
    ];
    for (const piece of hostile) {
      const text = piece.repeat(400_000 / piece.length);
      const begun = performance.now();
      parseBlocks(text);
      // Linear, it takes milliseconds; quadratic, it takes minutes.
      expect(performance.now() - begun, piece).toBeLessThan(10_000);
    }
  });

  test("can be cut anywhere while it streams, and pieces that are done do not change", () => {
    const text = "# a\n\nb **c**\n\n- d\n- e\n\n```js\nf\n\ng\n```\n\n| h | i |\n| - | - |\n| j | k |\n\nl";
    const whole = splitBlocks(text);
    for (let length = 0; length <= text.length; length += 1) {
      const pieces = splitBlocks(text.slice(0, length));
      expect(pieces.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, pieces.length - 1)));
      expect(judge(html(text.slice(0, length)))).toEqual([]);
    }
    expect(splitBlocks(text).flatMap(parseBlocks)).toEqual(parseBlocks(text));
  });
});

function textOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
}
