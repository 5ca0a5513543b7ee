import naughty from "big-list-of-naughty-strings" with { type: "json" };
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../clock.js";
import { isFramerailError } from "../error.js";
import { FRAME_BYTES_MAX } from "../limits.js";
import { splitText } from "../schema/cut-text.js";
import { countBytes } from "../schema/text.js";
import { createFrameEncoder } from "./encode-frame.js";
import { readFrame } from "./read-frame.js";
import type { FrameType, PayloadOf } from "./vocabulary.js";
import { FRAME_TYPES } from "./vocabulary.js";

const clock: Clock = { now: () => Date.UTC(2026, 4, 15, 18, 0, 2), schedule: () => () => undefined };
const encoder = createFrameEncoder({ responseId: "resp_abc", clock });
const tool = { id: "call_1", name: "search_offers", type: "mcp" };
const key = { ids: [{ id: "OFF_1" }] };

/** One good payload of every type; a type without one does not compile. */
const SAMPLES: { readonly [T in FrameType]: PayloadOf<T> } = {
  response_id: {},
  episode: { episode_id: "ep_1" },
  thinking: { content: "hm", role: "reasoning" },
  usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12, reasoning_tokens: 3, cached_tokens: 1 },
  mcp_list_tools_start: {},
  mcp_list_tools_completed: {},
  mcp_session_start: {},
  mcp_session_progress: {},
  tool_call: { tool_call: tool },
  tool_completed: { tool_call: { ...tool, status: "cancelled" } },
  text: { chunk: "Here are some offers near you..." },
  reasoning: { chunk: "because" },
  data_loading: { data: { id: "offer-list-1", type: "offer_list", key } },
  data_loaded: { data: { id: "offer-list-1", type: "offer_list", key, items: [{ id: "OFF_1" }] } },
  component: { chunk: { card: "x" }, tool_call: tool },
  status: { data: { event_id: "searching_offers", message: "Searching for offers..." } },
  completed: { has_more: true },
  error: { error: { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" }, is_final: true },
  cancelled: { error: { code: "IDLE_TIMEOUT" } },
};

test("a frame is byte for byte the envelope, then its payload [W-EV-0] [W-FR-2] [C-28]", () => {
  expect(encoder.encode("text", 9, SAMPLES.text)).toBe(
    '{"event_type":"text","version":"0.5","timestamp":"2026-05-15T18:00:02.000Z","response_id":"resp_abc","seq":9,"chunk":"Here are some offers near you..."}',
  );
  expect(encoder.encode("completed", 10, {})).toBe(
    '{"event_type":"completed","version":"0.5","timestamp":"2026-05-15T18:00:02.000Z","response_id":"resp_abc","seq":10}',
  );
});

test("every type reads back as it was written [W-FR-1] [W-MAP-2]", () => {
  for (const type of FRAME_TYPES) {
    const json = encoder.encode(type, 3, SAMPLES[type]);
    const reading = readFrame(JSON.parse(json));
    expect(reading).toEqual({
      kind: "frame",
      frame: {
        event_type: type,
        version: "0.5",
        timestamp: "2026-05-15T18:00:02.000Z",
        response_id: "resp_abc",
        seq: 3,
        ...SAMPLES[type],
      },
    });
  }
});

test("any text is carried unchanged, on one line", () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(...(naughty as string[])),
    fc.constant("a\u2028\u2029\u0085\r\n"),
  );
  fc.assert(
    fc.property(texts, (chunk) => {
      const json = encoder.encode("text", 1, { chunk });
      expect((JSON.parse(json) as { chunk: string }).chunk).toBe(chunk);
      expect(json).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
    }),
  );
});

test("what a payload holds beyond its definition does not leave [W-ERR-8] [W-FR-10]", () => {
  const wide = { tool_call: { ...tool, arguments: { q: "CANARY" } }, stack: "CANARY" };
  expect(encoder.encode("tool_call", 1, wide)).not.toContain("CANARY");
  const failure = { error: { code: "INTERNAL_ERROR", message: "CANARY" }, is_final: true, cause: "CANARY" } as const;
  expect(encoder.encode("error", 1, failure)).not.toContain("CANARY");
});

describe("a bad frame is refused with the field and the rule:", () => {
  const refuses = (act: () => unknown, code: string, path: string, rule: string) =>
    expect(act).toThrow(
      expect.objectContaining({ name: "FramerailError", code, issue: expect.objectContaining({ path, rule }) }),
    );

  test("wrong types, missing fields, lone surrogates, NaN, negative counts and __proto__", () => {
    const encode = (type: FrameType, payload: unknown) => () => encoder.encode(type, 1, payload as never);
    refuses(encode("text", { chunk: 7 }), "INVALID_FRAME", "chunk", "type");
    refuses(encode("text", {}), "INVALID_FRAME", "chunk", "required");
    refuses(encode("text", undefined), "INVALID_FRAME", "", "required");
    refuses(encode("text", { chunk: "half \ud83d" }), "INVALID_FRAME", "chunk", "well_formed");
    refuses(encode("usage", { ...SAMPLES.usage, input_tokens: Number.NaN }), "INVALID_FRAME", "input_tokens", "type");
    refuses(encode("usage", { ...SAMPLES.usage, cached_tokens: -1 }), "INVALID_FRAME", "cached_tokens", "minimum");
    refuses(
      encode("component", { chunk: JSON.parse('{"__proto__":1}'), tool_call: tool }),
      "INVALID_FRAME",
      "chunk.__proto__",
      "forbidden_key",
    );
    refuses(encode("text", JSON.parse('{"chunk":"x","__proto__":{}}')), "INVALID_FRAME", "__proto__", "forbidden_key");
    refuses(encode("nonsense" as FrameType, {}), "INVALID_FRAME", "event_type", "one_of");
    refuses(encode("__proto__" as FrameType, {}), "INVALID_FRAME", "event_type", "one_of");
  });

  test("a seq that is no place in a turn [C-28]", () => {
    for (const seq of [0, -1, 1.5, Number.NaN, "1" as unknown as number]) {
      refuses(() => encoder.encode("text", seq, SAMPLES.text), "INVALID_FRAME", "seq", "minimum");
    }
  });

  test("a response_id that is empty, too long or no text", () => {
    for (const responseId of ["", "x".repeat(257), 7 as unknown as string, "\ud800"]) {
      refuses(
        () => createFrameEncoder({ responseId, clock }),
        "INVALID_ARGUMENT",
        "response_id",
        expect.any(String) as never,
      );
    }
  });

  test("a frame over 262144 bytes, to the byte, names its largest field [W-NFR-7] [W-GAP-5]", () => {
    const overhead = encoder.encode("text", 1, { chunk: "" }).length;
    const fits = { chunk: "é".repeat((FRAME_BYTES_MAX - overhead) / 2) };
    expect(countBytes(encoder.encode("text", 1, fits))).toBeLessThanOrEqual(FRAME_BYTES_MAX);
    expect(countBytes(encoder.encode("text", 1, { chunk: "x".repeat(FRAME_BYTES_MAX - overhead) }))).toBe(
      FRAME_BYTES_MAX,
    );
    refuses(
      () => encoder.encode("text", 1, { chunk: "x".repeat(FRAME_BYTES_MAX - overhead + 1) }),
      "FRAME_TOO_LARGE",
      "chunk",
      "bytes_max",
    );
    const items = Array.from({ length: 300 }, () => "x".repeat(1000));
    const loaded = { data: { id: "1", type: "t", key, items } };
    refuses(() => encoder.encode("data_loaded", 1, loaded), "FRAME_TOO_LARGE", "data", "bytes_max");
  });
});

describe("in a framing", () => {
  const framing = { lead: "<", middleOf: (type: string) => `|${type}|`, tail: ">\n" };
  const framed = createFrameEncoder({ responseId: "resp_abc", clock, framing });

  test("a frame of every type is its JSON with what stands around it, byte for byte [W-EV-0] [D-7]", () => {
    for (const type of FRAME_TYPES) {
      for (const seq of [1, 12_345]) {
        const json = encoder.encode(type, seq, SAMPLES[type]);
        expect(framed.encode(type, seq, SAMPLES[type])).toBe(`<${seq}|${type}|${json}>\n`);
      }
    }
  });

  test("what stands around a frame does not count as its size [W-NFR-7]", () => {
    const overhead = encoder.encode("text", 1, { chunk: "" }).length;
    const most = { chunk: "x".repeat(FRAME_BYTES_MAX - overhead) };
    expect(framed.encode("text", 1, most)).toBe(`<1|text|${encoder.encode("text", 1, most)}>\n`);
    const more = { chunk: `${most.chunk}x` };
    expect(() => framed.encode("text", 1, more)).toThrow(expect.objectContaining({ code: "FRAME_TOO_LARGE" }));
  });

  test("an unknown type is refused", () => {
    const code = "INVALID_FRAME";
    expect(() => framed.encode("nonsense" as FrameType, 1, {})).toThrow(expect.objectContaining({ code }));
  });
});

test("text in the pieces it is split into fits its frames, whatever its characters [C-18] [W-NFR-7]", () => {
  // Of the longest id; JSON writes six bytes for a control character, and that is the most.
  const longest = createFrameEncoder({ responseId: "\u0001".repeat(256), clock });
  for (const character of ["\u0000", "\u001b", "\u0085", "\u2028", '"', "é", "😀"]) {
    const pieces = splitText(character.repeat(100_000));
    for (const chunk of pieces) {
      expect(countBytes(longest.encode("text", Number.MAX_SAFE_INTEGER, { chunk }))).toBeLessThan(FRAME_BYTES_MAX);
    }
  }
});

test("timestamps of a turn never decrease although the clock does [W-EV-20]", () => {
  const times = [5000, 4000, 6000];
  const turn = createFrameEncoder({ responseId: "r", clock: { ...clock, now: () => times.shift() as number } });
  const stamps = [1, 2, 3].map(
    (seq) => (JSON.parse(turn.encode("text", seq, { chunk: "x" })) as { timestamp: string }).timestamp,
  );
  expect(stamps).toEqual(["1970-01-01T00:00:05.000Z", "1970-01-01T00:00:05.000Z", "1970-01-01T00:00:06.000Z"]);
});

describe("the short way of text", () => {
  /** What came of it: the bytes, or the rule that was broken. */
  const outcomeOf = (type: "text" | "reasoning", payload: unknown): unknown => {
    try {
      return encoder.encode(type, 7, payload as PayloadOf<"text">);
    } catch (error) {
      return isFramerailError(error) ? { code: error.code, message: error.message, issue: error.issue } : error;
    }
  };
  // An object without a prototype is as good a payload as any, but not the usual one: it takes the long way.
  const unusual = (payload: object): object => Object.assign(Object.create(null) as object, payload);
  const type = fc.constantFrom("text" as const, "reasoning" as const);
  const unit = fc.constantFrom("a", '"', "\\", "\n", "\u0000", "\u0085", "\u2028", "é", "漢", "😀", "\ud800", "\udc00");

  test("gives the bytes or the refusal of the long way, for any chunk [W-FR-2] [W-GAP-7]", () => {
    const chunk = fc.oneof(fc.string({ unit }), fc.string({ unit: "binary" }), fc.anything());
    const more = fc.oneof(fc.constant({}), fc.dictionary(fc.string(), fc.anything()));
    fc.assert(
      fc.property(type, chunk, more, (type, chunk, more) => {
        const payload = { ...more, chunk };
        expect(outcomeOf(type, payload)).toEqual(outcomeOf(type, unusual(payload)));
      }),
    );
    for (const chunk of naughty) expect(outcomeOf("text", { chunk })).toBe(outcomeOf("text", unusual({ chunk })));
  });

  test("holds the same bounds: size, and what is no payload at all [W-NFR-7] [W-ERR-8]", () => {
    const chunk = "é".repeat(FRAME_BYTES_MAX / 2);
    expect(outcomeOf("text", { chunk })).toMatchObject({ code: "FRAME_TOO_LARGE", issue: { path: "chunk" } });
    expect(outcomeOf("text", { chunk })).toEqual(outcomeOf("text", unusual({ chunk })));
    for (const payload of [
      undefined,
      null,
      "chunk",
      [],
      new Map(),
      new (class {
        chunk = "a";
      })(),
      JSON.parse('{"chunk":"a","__proto__":{}}'),
    ]) {
      expect(outcomeOf("text", payload)).toMatchObject({ code: "INVALID_FRAME" });
    }
  });

  test("reads a chunk once, so that what was checked is what is written", () => {
    let reads = 0;
    const payload = {
      get chunk() {
        reads += 1;
        return reads === 1 ? "checked" : "\ud800";
      },
    };
    expect(outcomeOf("text", payload)).toContain('"chunk":"checked"}');
  });
});
