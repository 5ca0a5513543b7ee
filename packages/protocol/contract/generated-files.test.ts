import { describe, expect, test } from "vitest";
import { FRAMES } from "../src/frame/vocabulary.js";
import type { ObjectNode, Schema } from "../src/schema/schema.js";
import { sourcesOnDisk } from "./disk.js";
import type { Sources } from "./generated-files.js";
import { COMMAND, explainStale, findStale, generateFiles, PROTOCOL_PATH, putReference } from "./generated-files.js";
import { PUBLISHED } from "./published.js";

const sources = sourcesOnDisk();
const files = generateFiles(sources);

test("the files on disk are the ones the code would write now [W-FR-1, F-1, W-GAP-7]", () => {
  const stale = findStale(sources);
  expect(stale, explainStale(stale)).toEqual([]);
});

test("one contract gives JSON Schemas, the AsyncAPI document and the reference [F-1, W-GAP-7]", () => {
  expect([...files.keys()]).toEqual([
    "packages/protocol/schemas/frames-0.4.json",
    "packages/protocol/schemas/frames-0.5.json",
    "packages/protocol/schemas/events.json",
    "packages/protocol/schemas/pipeline-messages.json",
    "packages/protocol/schemas/agent-events.json",
    "packages/protocol/schemas/messages.json",
    "packages/protocol/schemas/asyncapi.json",
    "PROTOCOL.md",
  ]);
});

test("a JSON document ends with one newline and names itself [F-1]", () => {
  for (const [path, text] of files) {
    if (path === PROTOCOL_PATH) continue;
    expect(text).toMatch(/[^\n]\n$/);
    if (path.endsWith("asyncapi.json")) continue;
    const name = path.split("/").at(-1);
    expect(JSON.parse(text)).toMatchObject({ $id: `https://framerail.dev/schemas/${name}` });
  }
});

describe("a change of one definition makes stale what it appears in", () => {
  const staleWith = (contract: Sources["contract"]) => findStale({ ...sources, contract });
  const event = PUBLISHED.events.episode as Schema;
  const frameSet = new Map(PUBLISHED.frameSets["0.5"]);
  const textFrame = frameSet.get("text") as Schema & ObjectNode;
  frameSet.set("text", { ...textFrame, fields: { ...textFrame.fields, chunk: { kind: "string", says: "Other." } } });

  test("a changed description of an event: its schema and the reference [F-1]", () => {
    const events = { ...PUBLISHED.events, episode: { ...event, says: "Another sentence." } };
    expect(staleWith({ ...PUBLISHED, events })).toEqual(["packages/protocol/schemas/events.json", "PROTOCOL.md"]);
  });

  test("a changed description of a frame: the schemas of its versions, AsyncAPI and the reference [F-1]", () => {
    const frames = { ...FRAMES, text: { ...FRAMES.text, says: "Another sentence." } };
    expect(staleWith({ ...PUBLISHED, frames })).toEqual([
      "packages/protocol/schemas/frames-0.4.json",
      "packages/protocol/schemas/frames-0.5.json",
      "packages/protocol/schemas/asyncapi.json",
      "PROTOCOL.md",
    ]);
  });

  test("a changed description of a field of one version: that version and AsyncAPI [F-1]", () => {
    expect(staleWith({ ...PUBLISHED, frameSets: { ...PUBLISHED.frameSets, "0.5": frameSet } })).toEqual([
      "packages/protocol/schemas/frames-0.5.json",
      "packages/protocol/schemas/asyncapi.json",
    ]);
  });

  test("a file that is missing is stale too, and the report names every file and the command [F-1]", () => {
    const read = (path: string) => (path.endsWith("events.json") ? undefined : sources.read(path));
    const stale = findStale({ ...sources, read });
    expect(stale).toEqual(["packages/protocol/schemas/events.json", "packages/protocol/schemas/agent-events.json"]);
    expect(explainStale(["a.json", "b.json"])).toBe(`stale: a.json\nstale: b.json\nto write them again: ${COMMAND}`);
  });
});

describe("the reference in PROTOCOL.md", () => {
  const BEGIN = "<!-- reference:begin -->";
  const END = "<!-- reference:end -->";

  test("replaces what is between the markers and keeps every other byte [F-1]", () => {
    const once = putReference(`# Title\r\n\n${BEGIN}old${END}  tail`, "new\n");
    expect(once).toMatch(/^# Title\r\n\n<!-- reference:begin -->\n/);
    expect(once).toMatch(/\nnew\n\n<!-- reference:end --> {2}tail$/);
    expect(once).not.toContain("old");
    expect(putReference(once, "new\n")).toBe(once);
  });

  test("is put into a new file when there is none [F-1]", () => {
    const read = (path: string) => (path === PROTOCOL_PATH ? undefined : sources.read(path));
    expect(generateFiles({ ...sources, read }).get(PROTOCOL_PATH)).toMatch(
      /^# Framerail protocol\n\n<!-- reference:begin -->/,
    );
  });

  test.each([
    ["no marker", "text"],
    ["only the first", BEGIN],
    ["only the second", END],
    ["the wrong order", `${END}${BEGIN}`],
    ["a second begin", `${BEGIN}${BEGIN}${END}`],
    ["a begin after both", `${BEGIN}${END}${BEGIN}`],
    ["a second end", `${BEGIN}${END}${END}`],
    ["an end before both", `${END}${BEGIN}${END}`],
  ])("is refused when the file has %s [F-1]", (_name, text) => {
    expect(() => putReference(text, "new")).toThrowError(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});
