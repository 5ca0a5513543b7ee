// A page with a broken block of every kind: the runner that judges the documentation must find each of them.

import { describe, expect, test } from "vitest";
import { checkJson } from "./check-json.js";
import { checkTypes } from "./check-types.js";
import { checkYaml } from "./check-yaml.js";
import { matchOutput } from "./match-output.js";
import { type Page, readPage, withPlaces } from "./page.js";
import { runProgram } from "./program.js";
import { createProject } from "./project.js";
import { runScreens } from "./screen.js";
import { findMisquoted, runShell } from "./shell.js";

const FENCE = "```";

/** A page of blocks, each an info string and its lines, with a line of prose before each. */
function pageOf(...blocks: readonly [info: string, ...lines: readonly string[]][]): Page {
  const text = blocks.map(([info, ...lines]) => ["Prose.", FENCE + info, ...lines, FENCE].join("\n"));
  return readPage("planted", text.join("\n"));
}

async function inProject<T>(page: Page, judge: (folder: string) => T | Promise<T>): Promise<T> {
  const project = createProject([page]);
  try {
    return await judge(project.folder);
  } finally {
    project.remove();
  }
}

const found = (line: number, says: RegExp) => ({ page: "planted", line, says: expect.stringMatching(says) as string });

describe("a block that does not say how it is run", () => {
  const STRANGERS = [
    "",
    "sh",
    "ts",
    "ts run fast",
    "bash from=",
    "js run",
    "yaml",
    "yaml file=other/en.yaml",
    "ts file=../agent.ts",
  ];

  test.each([...STRANGERS, 'ts unrun=""', 'bash unrun="later"', "json frame"])("is refused: %j", (info) => {
    expect(pageOf(["bash", "true"], [info, "x"]).findings).toEqual([found(6, /does not say how the block is run/)]);
  });

  test("is refused however it is fenced, and so is one that does not end", () => {
    expect(readPage("planted", `1. ok\n\n   ${FENCE}bash\n   false\n${FENCE}`).findings).toHaveLength(1);
    expect(readPage("planted", `~~~bash\nfalse\n${FENCE}`).findings).toHaveLength(1);
    expect(readPage("planted", `${FENCE}bash\nfalse`).findings).toEqual([found(1, /no end/)]);
  });

  test("is refused as an output of nothing", () => {
    expect(pageOf(["output", "1"], ["json", "1"], ["output", "1"]).findings).toEqual([
      found(2, /right after/),
      found(10, /right after/),
    ]);
  });

  test("is refused as a second file of one name", () => {
    const { findings, remove } = createProject([pageOf(["ts file=a.ts", ""], ["ts file=a.ts", ""])]);
    remove();
    expect(findings).toEqual([found(6, /already at planted:2/)]);
  });
});

describe("commands on a page", () => {
  const run = (page: Page) => inProject(page, (folder) => runShell(page, folder));

  test("share one shell, and what they print is compared", async () => {
    const page = pageOf(["bash", "name=tide"], ["bash", "echo $name"], ["output", "tide"]);
    expect(await run(page)).toEqual([]);
    const wrong = pageOf(["bash", "name=tide"], ["bash", "echo $name"], ["output", "time"]);
    expect(await run(wrong)).toEqual([found(10, /no such line: time[\s\S]*tide/)]);
  });

  test("that fail, or use a name nobody set, are found with their line and what they said", async () => {
    const failing = pageOf(["bash", "true"], ["bash", "ls no-such-file"], ["output", "no-such-file"], ["bash", "true"]);
    expect(await run(failing)).toEqual([found(6, /failed \(2\)[\s\S]*no-such-file/), found(10, /no such line/)]);
    expect(await run(pageOf(["bash", "echo $unset_name"]))).toEqual([found(2, /unset_name/)]);
  });

  test("that are not run are still read by a shell", async () => {
    expect(await run(pageOf(['bash unrun="it would take too long"', "if true; then"]))).toEqual([found(2, /syntax/)]);
  });

  test("that are not run name npm scripts that are there", async () => {
    const page = pageOf([
      'bash unrun="it would take too long"',
      "npm test",
      "npm run bench -- store",
      "npm run benches",
    ]);
    expect(await run(page)).toEqual([found(2, /no npm script benches/)]);
  });

  test("that are another page's are found where they do not stand there", () => {
    const quote = pageOf(["bash from=other", "framerail migrate", "framerail serve --agents bots"]);
    const runs = pageOf(["bash", "framerail migrate", "framerail serve --agents agents &"]);
    expect(findMisquoted(quote, [{ ...runs, name: "other" }])).toEqual([found(4, /no block that other runs has/)]);
    expect(findMisquoted(quote, [runs])).toHaveLength(2);
  });

  test("leave nothing running behind", async () => {
    // What it started holds its output open: the run is over when that is gone too.
    expect(await run(pageOf(["bash", "sleep 600 &", "echo begun"], ["output", "begun"]))).toEqual([]);
  });
});

describe("commands on a terminal", () => {
  const run = (page: Page) => inProject(page, (folder) => runScreens(page, folder));
  const ID = "00000000-0000-4000-8000-000000000001";

  test("take over what an output above them showed, and what is left on the screen is compared", async () => {
    const draw = ["bash screen", "test -t 1", "printf 'draft\\r\\033[2K'", `echo turn ${ID}`] as const;
    const page = pageOf(
      [...draw],
      ["output", "turn <turn>"],
      ["bash screen", "echo again <turn>"],
      ["output", "again"],
    );
    expect(await run(page)).toEqual([found(16, new RegExp(`no such line: again[\\s\\S]*again ${ID}`))]);
  });

  test("that fail, or name what nobody showed, are found", async () => {
    const page = pageOf(["bash screen", "echo low; false; echo high"], ["bash screen", "echo <turn>"]);
    expect(await run(page)).toEqual([found(2, /failed \(1\):\nlow$/), found(6, /no output above it shows/)]);
  });
});

describe("a program on a page", () => {
  const run = (page: Page) => inProject(page, (folder) => runProgram(page, folder));

  test("is one module, whose blocks find what stands above them", async () => {
    const page = pageOf(["ts run", "const tide = 1;"], ["ts run", "console.log(tide + 1);"], ["output", "2"]);
    expect(await run(page)).toEqual([]);
    expect(await run(pageOf(["ts run", "console.log(1);"], ["output", "2"]))).toEqual([found(6, /no such line: 2/)]);
  });

  test("that throws is found with the line of its block", async () => {
    const page = pageOf(["ts run", "console.log(1);"], ["ts run", 'throw new Error("ebb");']);
    expect(await run(page)).toEqual([found(6, /failed \(1\)[\s\S]*ebb/)]);
  });

  test("is compiled with its files, and an error has its line on the page", async () => {
    const page = pageOf(
      ["ts run", "const low: number = 1;"],
      ["ts file=lib/high.ts", "", "export const high: number = true;"],
      ['ts unrun="nobody calls it"', "export const mean: string = low;"],
    );
    const findings = await inProject(page, (folder) => checkTypes([page], folder, []));
    expect(findings).toEqual([found(12, /'number' is not assignable/), found(8, /'boolean' is not assignable/)]);
  });
});

describe("data on a page", () => {
  const FRAME =
    '{"event_type":"completed","version":"0.5","timestamp":"2026-05-15T18:00:00.000Z","response_id":"r","seq":1}';

  test("that is no JSON, no frame or no event is found by its line", () => {
    const page = pageOf(
      ["json", "{"],
      ["json frames", FRAME, FRAME.replace("0.5", "0.6"), FRAME.replace("completed", "finished")],
      ["json events", '{"type":"message","content":"x"}', '{"type":"message"}'],
    );
    expect(checkJson(page).map(({ line }) => line)).toEqual([2, 8, 9, 14]);
    expect(checkJson(pageOf(["json frames", FRAME, FRAME.replace("0.5", "0.4")]))).toEqual([]);
  });

  test("that is no script, or a registry with errors, is found by its line", async () => {
    const page = pageOf(
      ["yaml file=agents/a/script.yaml", "steps: []"],
      ["yaml file=registry/platform/status_events.yaml", "- id: Not an id"],
      ["yaml file=registry/locales/en.yaml", "status: { fallback: One moment }"],
    );
    const findings = await inProject(page, (folder) => checkYaml([page], folder));
    expect(findings[0]).toEqual(found(2, /script\.yaml:1: steps must have at least 1/));
    expect(findings.slice(1)).toContainEqual(found(7, /id must match/));
  });
});

describe("what a page names", () => {
  const DATABASE = "postgres://framerail@db/framerail";
  const places = new Map([
    ["4190", "24180"],
    ["4180", "40000"],
    [DATABASE, "postgres://127.0.0.1:5432/test"],
  ]);
  const placed = (info: string, code: string) => withPlaces(pageOf(["bash", ""], [info, code]), places).blocks[1]?.code;

  test("becomes what there is in the run, each once, whatever its digits are", () => {
    expect(placed("bash", "4190 4180 14180 41800")).toBe("24180 40000 14180 41800");
    expect(placed("bash", `x=${DATABASE}\ny="${DATABASE}" ${DATABASE}2`)).toBe(
      `x=postgres://127.0.0.1:5432/test\ny="postgres://127.0.0.1:5432/test" ${DATABASE}2`,
    );
  });

  test("is the run's server for a command that names none, and is left alone in an output", () => {
    expect(placed("bash screen", "npx framerail tail <turn>")).toBe(
      "npx framerail tail --url http://127.0.0.1:40000 <turn>",
    );
    expect(placed("output", "framerail chat is at 4180")).toBe("framerail chat is at 40000");
  });
});

describe("an output with placeholders", () => {
  const ID = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
  const match = (shown: string, printed: string, bound = new Map<string, string>()) =>
    matchOutput(shown, printed, bound);

  test("stands for one value each, on the whole page", () => {
    const bound = new Map<string, string>();
    expect(match("<turn> <turn> at <time>", `${ID[0]} ${ID[0]} at 2026-05-15T18:00:00.000Z`, bound)).toBeUndefined();
    expect(match("<turn>", `${ID[0]}`, bound)).toBeUndefined();
    expect(match("<turn>", `${ID[1]}`, bound)).toContain("no such line: <turn>");
    expect(match("<turn> <turn>", `${ID[0]} ${ID[1]}`)).toBeDefined();
    expect(match("<turn>", "soon")).toBeDefined();
  });

  test("stands for tools that ran side by side in any order, each with its time", () => {
    const shown = "✓ rewards <seconds> s\n✓ offers <seconds> s\nend\n✓ last <seconds> s";
    expect(match(shown, "✓ offers 2.1 s\n✓ rewards 1.4 s\nend\n✓ last 0.8 s")).toBeUndefined();
    expect(match(shown, "✓ offers 2.1 s\n✓ rewards 1.4 s\n✓ last 0.8 s\nend")).toBeDefined();
    expect(match(shown, "✓ offers 2.1 s\nend\n✓ last 0.8 s")).toContain("no such line: ✓ rewards");
    expect(match("<seconds> s", "2 s")).toBeDefined();
  });

  test("is compared to the letter but for lines that are left out", () => {
    expect(match("a\n…\nd", "a\nb\nc\nd\n")).toBeUndefined();
    expect(match("a\n…\nd", "a\nb\nc\n")).toContain("no such line: d");
    expect(match("a", "a\nb")).toContain("more was printed");
    expect(match("a.c", "abc")).toBeDefined();
    expect(match("<p>…</p>", "<p>…</p>")).toBeUndefined();
  });
});
