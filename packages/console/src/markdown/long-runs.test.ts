import { expect, test } from "vitest";
import { parseBlocks } from "./parse-blocks.js";

const n = 30_000;
test.each([
  ["a fence and its end on one line", `\`\`\`${"a".repeat(n)}\`\`\``],
  ["tildes and spaces before a backtick", `~~~${" ".repeat(n)}\``],
  ["a heading with a wide gap", `# a${" ".repeat(n)}b`],
  ["code that begins with a space", `x \` ${"a".repeat(n)}\``],
  ["dashes with a wide gap", `a|b\n-${" ".repeat(n)}x`],
  ["a link target of spaces", `[](${" ".repeat(2_000)}`.repeat(15)],
  ["many bare marks", "*a ".repeat(n / 3)],
  ["many underscores", "_a_b".repeat(n / 4)],
  ["many quotes", ">".repeat(n)],
  ["many codes", "`a``b```c".repeat(n / 9)],
  ["star pairs", "**a*".repeat(n / 4)],
  ["tilde", "~~a ~".repeat(n / 5)],
  ["list", "- ".repeat(n / 2)],
  ["list lines", "- a\n".repeat(n / 4)],
  ["nested list", Array.from({ length: 400 }, (_, i) => `${" ".repeat(i)}- a`).join("\n")],
  ["quotes lines", "> > > > > > > > a\n".repeat(n / 18)],
  ["fences in list", "- ```\n".repeat(n / 6)],
  ["table starts", "|-\n".repeat(n / 3)],
])("%s of 30,000 letters is read in no time", (_, text) => {
  const start = performance.now();
  parseBlocks(text);
  const ms = performance.now() - start;
  console.log(_, Math.round(ms));
  expect(ms).toBeLessThan(100);
});
