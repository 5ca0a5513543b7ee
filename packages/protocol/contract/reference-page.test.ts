import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../src/error.js";
import * as limits from "../src/limits.js";
import { sourcesOnDisk } from "./disk.js";
import { limitsTable } from "./limits-table.js";
import { PUBLISHED } from "./published.js";
import { referencePage } from "./reference-page.js";

const page = referencePage(PUBLISHED, sourcesOnDisk().limits);

/** The lines from a heading to the next one of the same level or above. */
function sectionOf(heading: string): string {
  const [, level = ""] = /^(#+) /.exec(heading) ?? [];
  const start = page.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`the reference has no ${heading}`);
  const end = page.slice(start + heading.length).search(new RegExp(`^#{1,${level.length}} `, "m"));
  return end < 0 ? page.slice(start) : page.slice(start, start + heading.length + end);
}

describe("the frames", () => {
  const GROUPS: readonly [string, ...string[]][] = [
    ["Lifecycle and metadata (4)", "response_id", "episode", "thinking", "usage"],
    ["MCP (4)", "mcp_list_tools_start", "mcp_list_tools_completed", "mcp_session_start", "mcp_session_progress"],
    ["Tool (2)", "tool_call", "tool_completed"],
    ["Content (2)", "text", "reasoning"],
    ["Component (3)", "data_loading", "data_loaded", "component"],
    ["Status (1)", "status"],
    ["Terminal (3)", "completed", "error", "cancelled"],
  ];

  test.each(GROUPS)("are listed in the group %s [W-EV-19]", (title, ...types) => {
    const listed = [...sectionOf(`#### ${title}`).matchAll(/^##### `(\w+)`$/gm)].map(([, type]) => type);
    expect(listed).toEqual(types);
  });

  test("are nineteen in seven groups [W-EV-19]", () => {
    expect(page).toContain("### Frames (19)");
    expect(GROUPS.flatMap(([, ...types]) => types)).toHaveLength(4 + 4 + 2 + 2 + 3 + 1 + 3);
    expect(sectionOf("### Frames (19)").match(/^##### /gm)).toHaveLength(19);
  });

  test("of MCP, and only those, are flagged as deprecated, with what to use instead [W-EV-16]", () => {
    const deprecated = [...page.matchAll(/^##### `(\w+)`\n\n(.*)$/gm)].filter(([, , says]) =>
      says?.includes("Deprecated"),
    );
    expect(deprecated.map(([, type]) => type)).toEqual(GROUPS[1]?.slice(1));
    for (const [, , says] of deprecated) expect(says).toMatch(/\*\*Deprecated\.\*\* Use `status`/);
  });

  test("say since when they exist, and show their own fields without the envelope [F-1]", () => {
    const text = sectionOf("##### `text`");
    expect(text).toContain("Since 0.4.");
    expect(text).toContain("| `chunk` | string | yes | The piece. |");
    expect(text).not.toContain("response_id");
    expect(sectionOf("##### `cancelled`")).toContain("Since 0.5.");
    expect(sectionOf("##### `completed`")).not.toContain("event_type");
  });
});

test("the inner events are published with their fields [W-GAP-7]", () => {
  const section = sectionOf(`### Inner events (${Object.keys(PUBLISHED.events).length})`);
  for (const type of Object.keys(PUBLISHED.events)) expect(section).toContain(`#### \`${type}\`\n`);
  expect(section).toContain(
    "| `tool_call_id` | string of 1 to 1024 characters | yes | The call, unique within the turn. |",
  );
});

test("pipeline messages, routes, agent events and messages of the history are listed [F-1]", () => {
  const names = [PUBLISHED.pipelineMessages, PUBLISHED.agentEvents, PUBLISHED.messages].flatMap(Object.keys);
  for (const name of names) expect(page).toContain(`#### \`${name}\`\n`);
  const routes = sectionOf("### Pipeline routes (7)");
  expect(routes).toContain("| `/source_discover` | `log`, `catalog` | nothing | completed |");
  expect(routes).toContain("| a violation |");
});

test("every code and every limit is listed with a sentence [F-1]", () => {
  for (const code of ERROR_CODES) expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| \\w+ \\| \\w`, "m"));
  for (const code of ["INTERNAL_ERROR", "PARTIAL_FAN_OUT"]) expect(page).toContain(`| \`${code}\` | \`error\` | `);
  expect(page).toContain("| `IDLE_TIMEOUT` | `cancelled` | Who stopped");
  const listed = [...sectionOf("### Limits").matchAll(/^\| `(\w+)` \| ([\d,]+) \| \S.* \|$/gm)];
  const values = listed.map(([, name, value]) => [name, Number(value?.replaceAll(",", ""))]);
  expect(Object.fromEntries(values)).toEqual({ ...limits });
});

describe("a limit", () => {
  const source =
    "/** Second [W-FR-1, E-5]. */\nexport const B_MAX = 2;\n\n/**\n * First,\n * here.\n */\nexport const A_MAX = 1;\n";

  test("is told in the words and the order of its source, without requirement ids [F-1]", () => {
    expect(limitsTable({ A_MAX: 1, B_MAX: 2 }, source)).toEqual([
      { name: "B_MAX", value: 2, says: "Second." },
      { name: "A_MAX", value: 1, says: "First, here." },
    ]);
  });

  test("without a sentence of its own is refused [F-1]", () => {
    const silent = `${source}\nexport const C_MAX = 3;\n`;
    expect(() => limitsTable({ C_MAX: 3 }, silent)).toThrowError(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});
