import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.jsx";

test("code between three marks on one line is no beginning of a block", () => {
  const text = "```npm install```\n\nThen:\n\n```\nnode main.js\n```\n\nThat is **all**.";
  const markup = renderToStaticMarkup(createElement(Markdown, { text }));
  expect(markup).toContain("<code>node main.js</code></pre>");
  expect(markup).toContain("<strong>all</strong>");
});
