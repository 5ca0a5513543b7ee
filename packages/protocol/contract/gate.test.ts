import { describe, expect, test } from "vitest";
import type { Json } from "../src/schema/schema.js";
import { readFromDisk } from "./disk.js";
import type { Documents } from "./gate.js";
import { checkCompatibility } from "./gate.js";
import { PUBLISHED } from "./published.js";
import { framesDocument } from "./schema-documents.js";

function baselineOf(version: string): Json {
  return JSON.parse(readFromDisk(`packages/protocol/contract/baseline/${version}.json`) ?? "null") as Json;
}

const VERSIONS = ["0.4", "0.5"];
const baselines: Documents = new Map(VERSIONS.map((version) => [version, baselineOf(version)]));
const published: Documents = new Map(
  Object.keys(PUBLISHED.frameSets).map((version) => [version, framesDocument(PUBLISHED, version) as unknown as Json]),
);

test("the frames of every version break nothing of their frozen baseline [W-FR-12, W-R-4]", () => {
  expect(checkCompatibility(baselines, published)).toEqual([]);
});

describe("the baseline of 0.4", () => {
  const { $defs } = baselineOf("0.4") as { $defs: { [type: string]: { properties: { [name: string]: Json } } } };

  test("has the types of that version, `cancelled` among them and `status` not [W-IN-4, W-R-4]", () => {
    const types = [
      ...["cancelled", "completed", "component", "data_loaded", "data_loading", "episode", "error"],
      ...["mcp_list_tools_completed", "mcp_list_tools_start", "mcp_session_progress", "mcp_session_start"],
      ...["reasoning", "response_id", "text", "thinking", "tool_call", "tool_completed", "usage"],
    ];
    expect(Object.keys($defs).sort()).toEqual(types);
  });

  test("has four codes on error, of which 0.5 moved the last two to cancelled [W-IN-4]", () => {
    const codes = ["INTERNAL_ERROR", "RATE_LIMIT_ERROR", "IDLE_TIMEOUT", "REQUEST_CANCELLED"];
    expect($defs.error?.properties.error).toMatchObject({ properties: { code: { enum: codes } } });
    const now = (published.get("0.5") as { $defs: { [type: string]: Json } }).$defs;
    expect(now.cancelled).toMatchObject({
      properties: { error: { properties: { code: { enum: codes.slice(2) } } } },
    });
    expect(JSON.stringify(now.error)).not.toMatch(/IDLE_TIMEOUT|REQUEST_CANCELLED/);
  });

  test("has text with the word chunk as its type, which 0.5 does not have [W-IN-4, W-FR-12]", () => {
    expect($defs.text?.properties.type).toEqual({ const: "chunk" });
    expect(published.get("0.5")).not.toHaveProperty("$defs.text.properties.type");
  });
});

describe("a break", () => {
  const broken = JSON.parse(JSON.stringify(published.get("0.5")).replaceAll('"chunk"', '"piece"')) as Json;

  test("under the same version fails the gate, and is told with its version [W-FR-12, W-R-4]", () => {
    const breaks = checkCompatibility(baselines, new Map([...published, ["0.5", broken]]));
    expect(breaks[0]).toEqual({
      version: "0.5",
      type: "text",
      path: "chunk",
      kind: "field_removed",
      says: "text: chunk is gone; restore the field, or bump the wire version",
    });
  });

  test("under a new version with a baseline of its own passes, while the old versions are still held [W-FR-12]", () => {
    const bumped = JSON.parse(JSON.stringify(broken).replaceAll('"0.5"', '"0.6"')) as Json;
    const [now, frozen] = [new Map([...published, ["0.6", bumped]]), new Map([...baselines, ["0.6", bumped]])];
    expect(checkCompatibility(frozen, now)).toEqual([]);
    expect(checkCompatibility(frozen, new Map([...now, ["0.5", broken]]))).not.toEqual([]);
  });
});

test("a new version without a baseline, and a version that is not spoken any more, fail the gate [W-FR-12]", () => {
  const document = published.get("0.5") as Json;
  expect(checkCompatibility(baselines, new Map([...published, ["0.6", document]]))).toMatchObject([
    { version: "0.6", kind: "baseline_missing" },
  ]);
  expect(checkCompatibility(baselines, new Map([["0.5", document]]))).toMatchObject([
    { version: "0.4", kind: "version_removed" },
  ]);
});
