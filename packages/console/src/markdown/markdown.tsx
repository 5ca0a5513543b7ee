// Shows markdown as elements. There is no way from text to HTML here: what a model writes becomes text nodes.
//   M1. Only what safe-link.ts let through is a link, and it tells the other side nothing of this page.
//   M2. While text grows, only its last block is made anew.

import type { ReactNode } from "react";
import { memo, useMemo } from "react";
import { placed } from "../app/placed.js";
import { ScrollRegion } from "../app/scroll-region.jsx";
import { parseBlocks } from "./parse-blocks.js";
import { splitBlocks } from "./split-blocks.js";
import type { Block, Inline } from "./tree.js";

export function Markdown({ text }: { readonly text: string }) {
  const pieces = useMemo(() => splitBlocks(text), [text]);
  return placed(pieces).map(({ key, value }) => <Piece key={key} text={value} />);
}

// M2
const Piece = memo(function Piece({ text }: { readonly text: string }) {
  return blocks(parseBlocks(text));
});

function BlockView({ block }: { readonly block: Block }): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return <p dir="auto">{inlines(block.children)}</p>;
    case "heading": {
      // The page itself has the first two levels.
      const Heading = `h${Math.min(6, block.level + 2)}` as "h3" | "h4" | "h5" | "h6";
      return (
        <Heading dir="auto" className={`md-h${block.level}`}>
          {inlines(block.children)}
        </Heading>
      );
    }
    case "code":
      return (
        <ScrollRegion className="md-code" label={block.language === "" ? "Code" : `Code, ${block.language}`}>
          <pre dir="ltr">
            <code>{block.text}</code>
          </pre>
        </ScrollRegion>
      );
    case "quote":
      return <blockquote>{blocks(block.children)}</blockquote>;
    case "list":
      return <ListView block={block} />;
    case "table":
      return <TableView block={block} />;
    case "rule":
      return <hr />;
  }
}

function ListView({ block: { start, items } }: { readonly block: Extract<Block, { kind: "list" }> }) {
  const rows = placed(items).map(({ key, value }) => (
    <li key={key} dir="auto">
      {isOneParagraph(value) ? inlines(value[0].children) : blocks(value)}
    </li>
  ));
  return start === undefined ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>;
}

function isOneParagraph(item: readonly Block[]): item is readonly [Extract<Block, { kind: "paragraph" }>] {
  return item.length === 1 && item[0]?.kind === "paragraph";
}

function TableView({ block: { align, head, rows } }: { readonly block: Extract<Block, { kind: "table" }> }) {
  return (
    <ScrollRegion className="md-table" label="Table">
      <table>
        <thead>
          <tr>
            {placed(head).map(({ key, value }) => (
              <th key={key} scope="col" data-align={align[Number(key)]}>
                {inlines(value)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {placed(rows).map((row) => (
            <tr key={row.key}>
              {placed(row.value).map(({ key, value }) => (
                <td key={key} data-align={align[Number(key)]}>
                  {inlines(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function blocks(children: readonly Block[]): ReactNode {
  return placed(children).map(({ key, value }) => <BlockView key={key} block={value} />);
}

function inlines(children: readonly Inline[]): ReactNode {
  return placed(children).map(({ key, value }) => <InlineView key={key} node={value} />);
}

function InlineView({ node }: { readonly node: Inline }): ReactNode {
  switch (node.kind) {
    case "text":
      return node.text;
    case "code":
      return <code dir="ltr">{node.text}</code>;
    case "break":
      return "\n";
    case "strong":
      return <strong>{inlines(node.children)}</strong>;
    case "emphasis":
      return <em>{inlines(node.children)}</em>;
    case "deleted":
      return <del>{inlines(node.children)}</del>;
    case "link":
      return (
        // M1
        <a href={node.href} target="_blank" rel="noopener noreferrer">
          {inlines(node.children)}
        </a>
      );
  }
}
