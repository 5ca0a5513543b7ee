import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ID_LENGTH_MAX, NAME_LENGTH_MAX } from "../limits.js";
import { isWellFormed, quote } from "../schema/text.js";
import { encodeNdjson } from "./ndjson-encode.js";
import { encodeSse, SSE_DONE_FRAME } from "./sse-encode.js";
import { createSseFraming, ndjsonLineOf, sseDataStart } from "./sse-framing.js";
import { anyText } from "./testing/nasty-bytes.js";

function refusing(code: string, path: string, rule: string): unknown {
  return expect.objectContaining({ code, issue: expect.objectContaining({ path, rule }) });
}

describe("framing", () => {
  test("a frame is its id, event and data lines, byte for byte [W-EV-0]", () => {
    const frame = createSseFraming({ idPrefix: "" });
    expect(frame("text", 7, '{"a":1}')).toBe('id: 7\nevent: text\ndata: {"a":1}\n\n');
    expect(frame("text", 8, '{"a":2}')).toBe('id: 8\nevent: text\ndata: {"a":2}\n\n');
    expect(createSseFraming({ idPrefix: "t1-" })("error", 0, "{}")).toBe("id: t1-0\nevent: error\ndata: {}\n\n");
  });

  test("the parts of a framing, put together, are its frame [W-EV-0]", () => {
    const frame = createSseFraming({ idPrefix: "t1-" });
    expect(`${frame.lead}7${frame.middleOf("text")}{}${frame.tail}`).toBe(frame("text", 7, "{}"));
    expect(() => frame.middleOf("e\n")).toThrow(refusing("MALFORMED_FIELD", "event", "no_line_break") as Error);
  });

  test("a frame is what the checked encoder writes, and its NDJSON line too, for every well-formed text [W-EV-0, D-7]", () => {
    const frame = createSseFraming({ idPrefix: "turn_1:" });
    fc.assert(
      fc.property(
        anyText.filter(isWellFormed),
        fc.maxSafeNat(),
        fc.constantFrom("text", "completed"),
        (text, seq, event) => {
          const data = `{"text":${quote(text)}}`;
          const framed = frame(event, seq, data);
          expect(framed).toBe(encodeSse({ id: `turn_1:${seq}`, event, data }));
          expect(framed.slice(sseDataStart(framed), -1)).toBe(encodeNdjson(data));
          expect(ndjsonLineOf(framed)).toBe(encodeNdjson(data));
        },
      ),
      { numRuns: 3_000, seed: 20_260_515 },
    );
  });

  test("the start of the data counts bytes as well as characters [D-7]", () => {
    const framed = createSseFraming({ idPrefix: "~!" })("text", 3, '{"text":"é🚂\\ndata: x"}');
    const bytes = new TextEncoder().encode(framed);
    const line = bytes.subarray(sseDataStart(framed), bytes.length - 1);
    expect(new TextDecoder().decode(line)).toBe('{"text":"é🚂\\ndata: x"}\n');
  });

  test("a prefix or an event that would break the stream or the count of bytes is refused", () => {
    const frame = createSseFraming({ idPrefix: "" });
    for (const mark of ["\n", "\r", "\0", "\u2028"]) {
      expect(() => createSseFraming({ idPrefix: `a${mark}` })).toThrow(
        refusing("MALFORMED_FIELD", "idPrefix", "no_line_break") as Error,
      );
      expect(() => frame(`a${mark}data: b`, 1, "{}")).toThrow(
        refusing("MALFORMED_FIELD", "event", "no_line_break") as Error,
      );
    }
    expect(() => createSseFraming({ idPrefix: "é" })).toThrow(
      refusing("MALFORMED_FIELD", "idPrefix", "pattern") as Error,
    );
    expect(() => frame("a b", 1, "{}")).toThrow(refusing("MALFORMED_FIELD", "event", "pattern") as Error);
    expect(() => frame("", 1, "{}")).toThrow(refusing("MALFORMED_FIELD", "event", "length_min") as Error);
    expect(() => frame("e".repeat(NAME_LENGTH_MAX + 1), 1, "{}")).toThrow(
      refusing("MALFORMED_FIELD", "event", "length_max") as Error,
    );
    expect(() => createSseFraming({ idPrefix: 5 as never })).toThrow(
      refusing("INVALID_ARGUMENT", "idPrefix", "type") as Error,
    );
    expect(() => createSseFraming(null as never)).toThrow(refusing("INVALID_ARGUMENT", "options", "type") as Error);
  });

  test("the longest prefix leaves room for every sequence number, and a longer one is refused", () => {
    const idPrefix = "i".repeat(ID_LENGTH_MAX - 16);
    const framed = createSseFraming({ idPrefix })("text", Number.MAX_SAFE_INTEGER, "{}");
    expect(framed.indexOf("\n") - "id: ".length).toBe(ID_LENGTH_MAX);
    expect(() => createSseFraming({ idPrefix: `${idPrefix}i` })).toThrow(
      refusing("MALFORMED_FIELD", "idPrefix", "length_max") as Error,
    );
  });

  test("a sequence number that is no count is refused", () => {
    const frame = createSseFraming({ idPrefix: "" });
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53, "7"]) {
      expect(() => frame("text", wrong as number, "{}")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    }
  });

  test("more event names than are remembered still come out right", () => {
    const frame = createSseFraming({ idPrefix: "" });
    for (const round of [1, 2]) {
      for (let index = 0; index < 300; index += 1) {
        expect(frame(`e${index}`, round, "{}")).toBe(`id: ${round}\nevent: e${index}\ndata: {}\n\n`);
      }
    }
    expect(() => frame("e\n", 1, "{}")).toThrow(refusing("MALFORMED_FIELD", "event", "no_line_break") as Error);
  });

  test("the sentinel has no NDJSON line [C-1]", () => {
    for (const frame of [SSE_DONE_FRAME, "", ": ok\n\n", 5]) {
      expect(() => ndjsonLineOf(frame as string)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    }
  });
});
