import { describe, expect, test } from "vitest";
import { createSseDecoder } from "./sse-decode.js";
import { bytewise, decodeSsePushes, joinBytes, manyCuts, toBytes } from "./testing/cuts.js";
import type { SseLog } from "./testing/reference-sse.js";
import { readSse } from "./testing/reference-sse.js";

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);

interface Vector {
  readonly says: string;
  readonly input: string | Uint8Array;
  readonly log: SseLog;
}

function event(data: string, { id = "", event = "message" } = {}): SseLog[number] {
  return { kind: "event", id, event, data };
}

function comment(text: string): SseLog[number] {
  return { kind: "comment", text };
}

function retry(ms: number): SseLog[number] {
  return { kind: "retry", ms };
}

const VECTORS: readonly Vector[] = [
  {
    says: "one leading BOM is dropped [SSE-1]",
    input: joinBytes([BOM, toBytes("data: a\n\n")]),
    log: [event("a")],
  },
  {
    says: "a second BOM and a later one belong to the field's name, whose line is ignored [SSE-1]",
    input: joinBytes([BOM, BOM, toBytes("data: a\ndata: b\n\n"), BOM, toBytes("data: c\n\ndata: d\n\n")]),
    log: [event("b"), event("d")],
  },
  {
    says: "a BOM at the start of a value belongs to it [SSE-1]",
    input: "id: \ufeffidentity\nevent: \ufeffname\ndata: \ufeff\n\n",
    log: [event("\ufeff", { id: "\ufeffidentity", event: "\ufeffname" })],
  },
  {
    says: "half a BOM is text like any other [SSE-1]",
    input: joinBytes([BOM.subarray(0, 2), toBytes("data: a\ndata: b\n\n")]),
    log: [event("b")],
  },
  {
    says: "a BOM before a blank line leaves a blank line [SSE-1]",
    input: joinBytes([BOM, toBytes("\ndata: a\n\n")]),
    log: [event("a")],
  },
  {
    says: "LF, CR and CRLF end lines in any mix, and a lone CR ends an event at once [SSE-2]",
    input: "data: a\ndata: b\rdata: c\r\n\r\ndata: d\r\rdata: e\n\r\ndata: f\r\n\rdata: g\r\n\n",
    log: [event("a\nb\nc"), event("d"), event("e"), event("f"), event("g")],
  },
  {
    says: "a CRLF between two lines of one event ends one line, also when it is cut [SSE-2]",
    input: "data: a\r\ndata: b\r\ndata\r\n\r\n",
    log: [event("a\nb\n")],
  },
  {
    says: "separators of other standards are data [SSE-3]",
    input: "data: a\u2028b\u2029c\u0085d\ve\ff\n\n",
    log: [event("a\u2028b\u2029c\u0085d\ve\ff")],
  },
  {
    says: "comments may be empty, hold NUL, be long, and stand inside an event [SSE-4]",
    input: `:\n: \n:a\0b\n:data: x\n: ${"y".repeat(2_100)}\ndata: a\n:in\ndata: b\n\n`,
    log: [
      comment(""),
      comment(""),
      comment("a\0b"),
      comment("data: x"),
      comment("y".repeat(2_100)),
      comment("in"),
      event("a\nb"),
    ],
  },
  {
    says: "data without a colon is an empty line, two of them a line break [SSE-5]",
    input: "data\n\ndata\ndata\n\ndata:\n\ndata: \n\n",
    log: [event(""), event("\n"), event(""), event("")],
  },
  {
    says: "an event without data is not given out, and its name does not reach the next [SSE-5]",
    input: "event: lost\n\n\n\nid: 1\n\ndata: a\n\n",
    log: [event("a", { id: "1" })],
  },
  {
    says: "one space after the colon goes, a second one and a tab stay [SSE-6]",
    input: "data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\ndata: a \n\n",
    log: [event("a"), event("a"), event(" a"), event("\ta"), event("a ")],
  },
  {
    says: "names are case-sensitive and near misses are ignored [SSE-7]",
    input:
      "Data: a\nda-ta: b\ndata\0: c\ndata_5: d\n data: e\ndat: f\ndataa: g\nevents: h\nI: i\nretryy: 1\ndata : j\nx\n\ndata: k\n\n",
    log: [event("k")],
  },
  {
    says: "the start of a name is not the name, whatever line came before [SSE-7]",
    input: "event: b\ndata: a\n\ndat\nda\nd\neven\ni\n\ndata: c\n\n",
    log: [event("a", { event: "b" }), event("c")],
  },
  {
    says: "NUL in data is given out [SSE-8]",
    input: "data: a\0b\n\ndata:\0\n\n",
    log: [event("a\0b"), event("\0")],
  },
  {
    says: "an id that holds NUL anywhere is ignored [SSE-8]",
    input: "id: 1\nid: \0\nid: 2\0\nid: \x003\nid: 4\x005\nid:\0\0\ndata: a\n\n",
    log: [event("a", { id: "1" })],
  },
  {
    says: "an id stays in force until another one or an empty one [SSE-9]",
    input: "id: 1\ndata: a\n\ndata: b\n\nid: 2\nid: …\ndata: c\n\nid:\ndata: d\n\nid: 5\ndata: e\n\nid\ndata: f\n\n",
    log: [
      event("a", { id: "1" }),
      event("b", { id: "1" }),
      event("c", { id: "…" }),
      event("d"),
      event("e", { id: "5" }),
      event("f"),
    ],
  },
  {
    says: "retry counts only when it is all digits [SSE-10]",
    input: "retry: 03000\nretry: 1000x\nretry:\nretry\nretry: -1\nretry: 1.5\nretry:  7\nretry: ٣\nretry:0\n\n",
    log: [retry(3000), retry(0)],
  },
  {
    says: "a retry beyond all counting is the largest safe integer [SSE-10]",
    input: `retry: ${"9".repeat(400)}\n`,
    log: [retry(Number.MAX_SAFE_INTEGER)],
  },
  {
    says: "an event without its blank line is discarded with its id [SSE-11]",
    input: "id: 1\ndata: a\n\nid: 2\nevent: completed\ndata: b\n",
    log: [event("a", { id: "1" })],
  },
  {
    says: "an empty name means message, also after another name [SSE-12]",
    input: "event: x\ndata: a\n\nevent:\ndata: b\n\nevent: x\nevent\ndata: c\n\n",
    log: [event("a", { event: "x" }), event("b"), event("c")],
  },
  {
    says: "characters of several bytes may be cut anywhere [SSE-13]",
    input: "id: ü\nevent: 名\ndata: é你🚂\n\n",
    log: [event("é你🚂", { id: "ü", event: "名" })],
  },
  {
    says: "invalid UTF-8 becomes U+FFFD as in a decoder of the whole stream [SSE-13]",
    input: joinBytes([
      toBytes("data: a"),
      Uint8Array.of(0xff, 0xc0, 0xaf, 0xe2, 0x82),
      toBytes("b"),
      Uint8Array.of(0xf0, 0x9f, 0x9a),
      toBytes("\n\ndata:"),
      Uint8Array.of(0xed, 0xa0, 0x80),
      toBytes("\n\n"),
    ]),
    log: [event("a\ufffd\ufffd\ufffd\ufffdb\ufffd"), event("\ufffd\ufffd\ufffd")],
  },
];

describe("every rule holds for every cut, each event in the push of its earliest byte", () => {
  for (const { says, input, log } of VECTORS) {
    test(says, () => {
      const bytes = typeof input === "string" ? toBytes(input) : input;
      const whole = readSse(bytes);
      expect(whole.log, "the reference agrees with the vector").toEqual(log);
      // The reference tells of each prefix what is decided by then, so a later delivery shows.
      const decided = Array.from(
        { length: bytes.length + 1 },
        (_, length) => readSse(bytes.subarray(0, length)).log.length,
      );
      for (const pieces of manyCuts(bytes)) {
        const read = decodeSsePushes(pieces);
        expect(read.log).toEqual(log);
        expect([read.clean, read.lastEventId]).toEqual([whole.clean, whole.lastEventId]);
        let pushed = 0;
        const due = pieces.map((piece) => {
          pushed += piece.length;
          return decided[pushed];
        });
        expect(read.lengths).toEqual(due);
      }
    });
  }
});

describe("the end of the input", () => {
  test("an input that ends after a blank line, a comment or a retry is clean [SSE-11]", () => {
    for (const text of ["", "data: a\n\n", "data: a\r\n\r", ": ok\n", "retry: 5\n", "unknown\n", "id: 1\n\n"]) {
      expect(decodeSsePushes(bytewise(toBytes(text))).clean, JSON.stringify(text)).toBe(true);
    }
    expect(decodeSsePushes([BOM]).clean).toBe(true);
  });

  test("an input that ends inside a line or an event is not clean and keeps the id of the last whole event [SSE-11]", () => {
    for (const text of ["data: a", "data: a\n", "event: x\n", "id: 9\n", "id: 9", ": no", "x"]) {
      const read = decodeSsePushes(bytewise(toBytes(`id: 1\ndata: a\n\n${text}`)));
      expect(read, JSON.stringify(text)).toMatchObject({ clean: false, lastEventId: "1" });
      expect(read.log).toHaveLength(1);
    }
    expect(decodeSsePushes([BOM.subarray(0, 2)]).clean).toBe(false);
  });

  test("a block with an id and no data moves the last event id and gives no event [SSE-9]", () => {
    expect(decodeSsePushes([toBytes("id: 1\ndata: a\n\nid: 2\n\n")])).toMatchObject({
      log: [event("a", { id: "1" })],
      lastEventId: "2",
      clean: true,
    });
  });
});

test("events come out in the order of their bytes, each an object of its own [W-FR-14]", () => {
  const sent = Array.from({ length: 500 }, (_, seq) => `id: ${seq}\nevent: text\ndata: {"seq":${seq}}\n\n`).join("");
  const seen: { id: string; data: string }[] = [];
  const decoder = createSseDecoder({ onEvent: (one) => seen.push(one) });
  for (let at = 0; at < sent.length; at += 7) decoder.push(toBytes(sent.slice(at, at + 7)));
  expect(new Set(seen).size).toBe(500);
  expect(seen.map(({ id, data }) => [id, data])).toEqual(
    Array.from({ length: 500 }, (_, seq) => [String(seq), `{"seq":${seq}}`]),
  );
});

test("named events carry their name, and the sentinel arrives as an unnamed event whose data is not JSON [C-43, W-FR-9c]", () => {
  const read = decodeSsePushes([toBytes('event: completed\ndata: {"a":1}\n\ndata: [DONE]\n\n')]);
  expect(read.log).toEqual([event('{"a":1}', { event: "completed" }), event("[DONE]")]);
});

test("without comment and retry callbacks those lines are skipped [SSE-4, SSE-10]", () => {
  const seen: unknown[] = [];
  createSseDecoder({ onEvent: (one) => seen.push(one) }).push(toBytes(": a\nretry: 5\ndata: b\n\n"));
  expect(seen).toEqual([{ id: "", event: "message", data: "b" }]);
});
