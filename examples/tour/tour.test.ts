import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runTour } from "./tour.js";

test("the README shows what `npm start` prints, to the letter", () => {
  const lines: string[] = [];
  runTour((line) => lines.push(line));
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const shown = /<!-- tour -->\n+```text\n([\s\S]*?)```/.exec(readme)?.[1];
  expect(shown?.trimEnd()).toBe(lines.join("\n").trimEnd());
});
