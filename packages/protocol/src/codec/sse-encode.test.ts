import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FramerailError } from "../error.js";
import { isFramerailError } from "../error.js";
import { COMMENT_LENGTH_MAX, DECODED_BYTES_MAX, ID_LENGTH_MAX, NAME_LENGTH_MAX } from "../limits.js";
import type { SseFields } from "./sse-encode.js";
import { encodeSse, encodeSseComment, encodeSseRetry, SSE_DONE, SSE_DONE_FRAME } from "./sse-encode.js";
import { cutAt, decodeSsePushes, joinBytes, toBytes } from "./testing/cuts.js";
import { anyText, cutPositions, nastyBytes } from "./testing/nasty-bytes.js";
import { readSse } from "./testing/reference-sse.js";

const LONG = process.env.FRAMERAIL_LONG === "1";
const RUNS = LONG ? 1_000_000 : 5_000;
const OPTIONS = { numRuns: RUNS, ...(LONG ? {} : { seed: 20_260_515 }) };

const LINE_BREAKS = ["\n", "\r", "\r\n", "\0", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"];

function refusal(call: () => unknown): unknown[] {
  try {
    call();
    return ["accepted"];
  } catch (error) {
    expect(isFramerailError(error)).toBe(true);
    const { code, issue, message } = error as FramerailError;
    expect(message).toContain(issue?.path);
    return [code, issue?.path, issue?.rule];
  }
}

describe("an event", () => {
  test("is its lines and a blank line, byte for byte [W-EV-0]", () => {
    expect(encodeSse({ id: "7", event: "text", data: '{"event_type":"text","text":"hé"}' })).toBe(
      'id: 7\nevent: text\ndata: {"event_type":"text","text":"hé"}\n\n',
    );
  });

  test("has its fields in one order, whatever the order of the object, and only those given [W-EV-0]", () => {
    expect(encodeSse({ data: "1", retryMs: 3000, event: "e", id: "i" })).toBe(
      "id: i\nevent: e\nretry: 3000\ndata: 1\n\n",
    );
    expect(encodeSse({ data: "1" })).toBe("data: 1\n\n");
    expect(encodeSse({ data: "1", retryMs: 0 })).toBe("retry: 0\ndata: 1\n\n");
  });

  test("splits data at CRLF, CR and LF into data lines", () => {
    expect(encodeSse({ data: "a\nb\rc\r\nd\n" })).toBe("data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
  });

  test("writes the separators at which some readers cut as JSON escapes", () => {
    expect(encodeSse({ data: '"\u2028\u2029\u0085"' })).toBe('data: "\\u2028\\u2029\\u0085"\n\n');
  });

  test("keeps leading spaces and an empty data", () => {
    for (const data of ["", " ", " a", "  a", "\ta"]) {
      expect(decodeSsePushes([toBytes(encodeSse({ data }))]).log).toMatchObject([{ data }]);
    }
  });

  test("with an empty id makes the reader forget the id in force", () => {
    const text = encodeSse({ id: "7", data: "1" }) + encodeSse({ id: "", data: "2" }) + encodeSse({ data: "3" });
    expect(text).toContain("id: \n");
    expect(decodeSsePushes([toBytes(text)]).log).toMatchObject([{ id: "7" }, { id: "" }, { id: "" }]);
  });

  test("with a line break or NUL in its id or name is refused by field and rule", () => {
    for (const mark of LINE_BREAKS) {
      for (const text of [mark, `a${mark}`, `${mark}data: b`, `a${mark}${mark}data: b`]) {
        expect(refusal(() => encodeSse({ id: text, data: "1" }))).toEqual(["MALFORMED_FIELD", "id", "no_line_break"]);
        expect(refusal(() => encodeSse({ event: text, data: "1" }))).toEqual([
          "MALFORMED_FIELD",
          "event",
          "no_line_break",
        ]);
      }
    }
  });

  test("with half a surrogate pair anywhere is refused", () => {
    for (const field of ["id", "event", "data"]) {
      expect(refusal(() => encodeSse({ data: "1", [field]: "a\ud800" }))).toEqual([
        "MALFORMED_FIELD",
        field,
        "well_formed",
      ]);
    }
  });

  test("with an empty name, which readers take for none, is refused", () => {
    expect(refusal(() => encodeSse({ event: "", data: "1" }))).toEqual(["MALFORMED_FIELD", "event", "length_min"]);
  });

  test("with a field of the wrong type is refused", () => {
    for (const wrong of [null, 5, {}, Symbol("s")]) {
      for (const field of ["id", "event", "data"]) {
        expect(refusal(() => encodeSse({ data: "1", [field]: wrong } as never))).toEqual([
          "INVALID_ARGUMENT",
          field,
          "type",
        ]);
      }
    }
    expect(refusal(() => encodeSse({} as never))).toEqual(["INVALID_ARGUMENT", "data", "type"]);
    for (const wrong of [null, undefined, "data"]) {
      expect(refusal(() => encodeSse(wrong as never))).toEqual(["INVALID_ARGUMENT", "fields", "type"]);
    }
  });

  test("with a retry that is no count is refused", () => {
    for (const wrong of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21, "5", null]) {
      expect(refusal(() => encodeSse({ data: "1", retryMs: wrong as number }))).toEqual([
        "INVALID_ARGUMENT",
        "retryMs",
        "type",
      ]);
      expect(refusal(() => encodeSseRetry(wrong as number))).toEqual(["INVALID_ARGUMENT", "ms", "type"]);
    }
    expect(refusal(() => encodeSse({ data: "1", retryMs: -1 }))).toEqual(["INVALID_ARGUMENT", "retryMs", "minimum"]);
    expect(refusal(() => encodeSseRetry(-1))).toEqual(["INVALID_ARGUMENT", "ms", "minimum"]);
  });

  test("with a field over its maximum is refused, at its maximum not", () => {
    const id = "i".repeat(ID_LENGTH_MAX);
    const event = "e".repeat(NAME_LENGTH_MAX);
    expect(decodeSsePushes([toBytes(encodeSse({ id, event, data: "1" }))]).log).toMatchObject([{ id, event }]);
    expect(refusal(() => encodeSse({ id: `${id}i`, data: "1" }))).toEqual(["MALFORMED_FIELD", "id", "length_max"]);
    expect(refusal(() => encodeSse({ event: `${event}e`, data: "1" }))).toEqual([
      "MALFORMED_FIELD",
      "event",
      "length_max",
    ]);
  });

  test("with the longest data that is written is the longest that is read, on one line or many", () => {
    for (const line of ["xxé", "\n", "\u2028"]) {
      const written = line === "\u2028" ? 6 : toBytes(line).length;
      const whole = line.repeat(Math.floor((DECODED_BYTES_MAX - 6) / written));
      const longest = whole + "x".repeat((DECODED_BYTES_MAX - 6) % written);
      expect(decodeSsePushes([toBytes(encodeSse({ data: longest }))]).log.length).toBe(1);
      expect(refusal(() => encodeSse({ data: `${longest}x` }))).toEqual(["FRAME_TOO_LARGE", "data", "bytes_max"]);
    }
  });
});

describe("one send is one event", () => {
  const optionalText = fc.option(anyText, { nil: undefined });
  const data = fc.oneof(
    anyText,
    anyText.map((text) => JSON.stringify(text)),
    fc.json({ maxDepth: 2 }),
  );

  test("what is accepted is read as exactly that event, whatever stands before and after it [W-EV-0]", {
    timeout: LONG ? 3_600_000 : 60_000,
  }, () => {
    let accepted = 0;
    fc.assert(
      fc.property(optionalText, optionalText, data, nastyBytes, cutPositions, (id, event, text, noise, positions) => {
        const fields = { data: text, ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) };
        const sent = tryEncode(fields);
        if (sent === undefined) return;
        accepted += 1;
        const before = joinBytes([noise, toBytes("\n\n")]);
        const after = encodeSse({ id: "end", event: "end", data: "end" });
        const { log, clean } = decodeSsePushes(cutAt(joinBytes([before, toBytes(sent + after)]), positions));
        const earlier = readSse(before);
        expect(log.slice(0, earlier.log.length)).toEqual(earlier.log);
        expect(log.slice(earlier.log.length)).toEqual([
          { kind: "event", id: id ?? earlier.lastEventId, event: event ?? "message", data: readData(text) },
          { kind: "event", id: "end", event: "end", data: "end" },
        ]);
        expect(clean).toBe(true);
      }),
      OPTIONS,
    );
    expect(accepted).toBeGreaterThan(RUNS / 10);
  });

  // Refused is only what holds a line break, NUL, half a pair or nothing where a name must be.
  function tryEncode(fields: SseFields): string | undefined {
    try {
      return encodeSse(fields);
    } catch (error) {
      expect((error as FramerailError).code).toBe("MALFORMED_FIELD");
      const { id = "", event, data: text } = fields;
      const reason = [id, event ?? ""].some((field) => LINE_BREAKS.some((mark) => field.includes(mark)));
      expect(reason || event === "" || /\p{Surrogate}/u.test(id + (event ?? "") + text)).toBe(true);
      return undefined;
    }
  }

  // Any line end is read as LF, and a separator as its escape.
  function readData(text: string): string {
    return text
      .replace(/\r\n?/g, "\n")
      .replace(/[\u0085\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }

  test("JSON that holds separators is read as the same value [W-EV-0]", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { log } = decodeSsePushes([toBytes(encodeSse({ data: JSON.stringify(text) }))]);
        expect(log.map((entry) => (entry.kind === "event" ? JSON.parse(entry.data) : entry))).toEqual([text]);
      }),
      { ...OPTIONS, numRuns: 2_000 },
    );
  });
});

describe("what is not an event", () => {
  test("a comment is one line and gives no event", () => {
    expect([encodeSseComment(), encodeSseComment("ok")]).toEqual([": \n\n", ": ok\n\n"]);
    const read = decodeSsePushes([toBytes(encodeSseComment() + encodeSseComment(" ok: é"))]);
    expect(read.log).toEqual([
      { kind: "comment", text: "" },
      { kind: "comment", text: " ok: é" },
    ]);
  });

  test("a comment with a line break, half a surrogate pair, too much text or no text is refused", () => {
    for (const mark of LINE_BREAKS) {
      expect(refusal(() => encodeSseComment(`a${mark}data: b`))).toEqual(["MALFORMED_FIELD", "text", "no_line_break"]);
    }
    expect(refusal(() => encodeSseComment("\udc00"))).toEqual(["MALFORMED_FIELD", "text", "well_formed"]);
    expect(encodeSseComment("x".repeat(COMMENT_LENGTH_MAX))).toHaveLength(COMMENT_LENGTH_MAX + 4);
    expect(refusal(() => encodeSseComment("x".repeat(COMMENT_LENGTH_MAX + 1)))).toEqual([
      "MALFORMED_FIELD",
      "text",
      "length_max",
    ]);
    expect(refusal(() => encodeSseComment(5 as never))).toEqual(["INVALID_ARGUMENT", "text", "type"]);
  });

  test("a retry alone sets the time and gives no event", () => {
    expect(encodeSseRetry(3000)).toBe("retry: 3000\n\n");
    expect(decodeSsePushes([toBytes(encodeSseRetry(3000))]).log).toEqual([{ kind: "retry", ms: 3000 }]);
  });

  test("the sentinel is the unnamed event that ends the bytes of a turn [W-FR-9c]", () => {
    expect(SSE_DONE_FRAME).toBe("data: [DONE]\n\n");
    expect(encodeSse({ data: SSE_DONE })).toBe(SSE_DONE_FRAME);
  });
});
