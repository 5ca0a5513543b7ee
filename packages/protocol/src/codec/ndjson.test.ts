import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DECODED_BYTES_MAX } from "../limits.js";
import { encodeNdjson, NDJSON_HEARTBEAT } from "./ndjson-encode.js";
import { SSE_DONE } from "./sse-encode.js";
import { cutAt, decodeNdjsonPushes, joinBytes, manyCuts, toBytes } from "./testing/cuts.js";
import { anyText, cutPositions, nastyBytes } from "./testing/nasty-bytes.js";

const LONG = process.env.FRAMERAIL_LONG === "1";
const RUNS = LONG ? 1_000_000 : 5_000;
const OPTIONS = { numRuns: RUNS, ...(LONG ? {} : { seed: 20_260_515 }) };
const TIMEOUT = { timeout: LONG ? 3_600_000 : 60_000 };

/** A slow reader of the whole input. */
function readNdjson(bytes: Uint8Array): { log: (string | null)[]; clean: boolean } {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const clean = lines.pop() === "";
  return { log: lines.map((line) => line.replace(/\r$/, "") || null), clean };
}

describe("decoding", () => {
  test("lines end at LF with or without one CR, and at no other character [D-7]", () => {
    const text = '{"a":1}\r\n[\r2]\n"\u2028\u2029\u0085"\n1\r\r\n\v\f\n';
    for (const pieces of manyCuts(toBytes(text))) {
      const { log, clean } = decodeNdjsonPushes(pieces);
      expect(log).toEqual(['{"a":1}', "[\r2]", '"\u2028\u2029\u0085"', "1\r", "\v\f"]);
      expect(clean).toBe(true);
    }
  });

  test("an empty line is a heartbeat and nothing else [D-7]", () => {
    for (const pieces of manyCuts(toBytes(`${NDJSON_HEARTBEAT}1\n\r\n${NDJSON_HEARTBEAT}2\n \n`))) {
      expect(decodeNdjsonPushes(pieces).log).toEqual([null, "1", null, null, "2", " "]);
    }
  });

  test("a BOM is dropped at the start and is text afterwards", () => {
    const bytes = toBytes("\ufeff\ufeff1\n\ufeff2\n");
    for (const pieces of manyCuts(bytes)) expect(decodeNdjsonPushes(pieces).log).toEqual(["\ufeff1", "\ufeff2"]);
    expect(decodeNdjsonPushes([toBytes("\ufeff")]).clean).toBe(true);
    expect(decodeNdjsonPushes([toBytes("\ufeff")], { acceptLastLine: true })).toMatchObject({ log: [], clean: true });
  });

  test("a last line without LF is discarded even when it is JSON", () => {
    for (const pieces of manyCuts(toBytes("1\n12"))) {
      expect(decodeNdjsonPushes(pieces)).toMatchObject({ log: ["1"], clean: false });
    }
  });

  test("a last line without LF is given out when the caller accepts it", () => {
    const accept = { acceptLastLine: true };
    for (const pieces of manyCuts(toBytes("\ufeff12"))) {
      expect(decodeNdjsonPushes(pieces, accept)).toMatchObject({ log: ["12"], clean: true });
    }
    expect(decodeNdjsonPushes([toBytes("1\n2\r")], accept)).toMatchObject({ log: ["1", "2"], clean: true });
    expect(decodeNdjsonPushes([toBytes("1\n")], accept)).toMatchObject({ log: ["1"], clean: true });
  });

  test("nasty input reads the same for random cuts, each line at its earliest byte", TIMEOUT, () => {
    fc.assert(
      fc.property(nastyBytes, cutPositions, (bytes, positions) => {
        const pieces = cutAt(bytes, positions);
        const { log, lengths, clean } = decodeNdjsonPushes(pieces);
        expect({ log, clean }).toEqual(readNdjson(bytes));
        let pushed = 0;
        for (const [index, piece] of pieces.entries()) {
          pushed += piece.length;
          expect(lengths[index]).toBe(readNdjson(bytes.subarray(0, pushed)).log.length);
        }
      }),
      OPTIONS,
    );
  });
});

describe("encoding", () => {
  test("a line is the JSON text and its LF, with separators escaped [D-7]", () => {
    expect(encodeNdjson('{"a":"é\u2028\u2029\u0085"}')).toBe('{"a":"é\\u2028\\u2029\\u0085"}\n');
  });

  test("a line break, nothing at all, a lone surrogate and what is no text are refused", () => {
    const refused = (text: unknown) => {
      try {
        encodeNdjson(text as string);
        return ["accepted"];
      } catch (error) {
        const { code, issue } = error as { code: string; issue: { rule: string } };
        return [code, issue.rule];
      }
    };
    for (const text of ["\n", "1\n", "\r1", '{"a":"\r\n"}'])
      expect(refused(text)).toEqual(["MALFORMED_FIELD", "no_line_break"]);
    expect(refused("")).toEqual(["MALFORMED_FIELD", "length_min"]);
    expect(refused('"\ud800"')).toEqual(["MALFORMED_FIELD", "well_formed"]);
    for (const wrong of [undefined, null, 1, {}]) expect(refused(wrong)).toEqual(["INVALID_ARGUMENT", "type"]);
  });

  test("the sentinel does not exist on NDJSON [C-1]", () => {
    expect(() => encodeNdjson(SSE_DONE)).toThrow(
      expect.objectContaining({ code: "MALFORMED_FIELD", issue: expect.objectContaining({ rule: "no_sentinel" }) }),
    );
  });

  test("the longest line that is written is the longest that is read", () => {
    const longest = `"${"x".repeat(DECODED_BYTES_MAX - 4)}é"`;
    expect(decodeNdjsonPushes([toBytes(encodeNdjson(longest))]).log.length).toBe(1);
    expect(() => encodeNdjson(`${longest} `)).toThrow(expect.objectContaining({ code: "FRAME_TOO_LARGE" }));
  });

  test("one line sent is one line read, whatever stands before and after it [D-7]", TIMEOUT, () => {
    fc.assert(
      fc.property(anyText, nastyBytes, cutPositions, (text, before, positions) => {
        const line = encodeNdjson(JSON.stringify(text));
        const bytes = joinBytes([before, toBytes(`\n${line}${NDJSON_HEARTBEAT}${line}`)]);
        const { log, clean } = decodeNdjsonPushes(cutAt(bytes, positions));
        const [first, heartbeat, second] = log.slice(-3);
        expect([JSON.parse(first as string), heartbeat, second, clean]).toEqual([text, null, first, true]);
        expect(log).toHaveLength(readNdjson(joinBytes([before, toBytes("\n")])).log.length + 3);
      }),
      OPTIONS,
    );
  });
});
