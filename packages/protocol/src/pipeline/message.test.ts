import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { parseJson } from "../codec/parse-json.js";
import { isFramerailError } from "../error.js";
import { ENVELOPE_MESSAGE_BYTES_MAX, JSON_DEPTH_MAX } from "../limits.js";
import type { Json } from "../schema/schema.js";
import { errorEof, limitEof } from "./eof.js";
import type { PipelineMessage, PipelineMessageType } from "./message.js";
import { LOG_LEVELS, logMessage, readPipelineMessage, STREAM_STATUSES, writePipelineMessage } from "./message.js";

const LONG = process.env.FRAMERAIL_LONG !== undefined;
const RUNS = LONG ? 1_000_000 : 20_000;
const timeout = RUNS * 3;
const seeded = (seed: number) => (LONG ? {} : { seed });

const strict = { mode: "strict" } as const;
const lenient = { mode: "lenient" } as const;
const empty = { run_progress: {}, request_progress: {} };

function issueOf(call: () => unknown): { code: string; path: string | undefined; rule: string | undefined } {
  try {
    call();
  } catch (caught) {
    if (isFramerailError(caught)) return { code: caught.code, path: caught.issue?.path, rule: caught.issue?.rule };
    throw caught;
  }
  throw new Error("nothing was thrown");
}

const refused = (path: string, rule: string) => ({ code: "INVALID_MESSAGE", path, rule });
const readIssue = (value: unknown, options: { mode: "strict" | "lenient" } = strict) =>
  issueOf(() => readPipelineMessage(value, options));

/** One whole example per type; a missing type does not compile. */
const EXAMPLES: { [T in PipelineMessageType]: Extract<PipelineMessage, { type: T }> } = {
  log: { type: "log", log: { level: "warn", message: "slow source" } },
  connection_status: { type: "connection_status", connection_status: { status: "failed", message: "no route" } },
  catalog: {
    type: "catalog",
    catalog: { streams: [{ name: "customer", json_schema: { type: "object" }, primary_key: ["id"], metadata: {} }] },
  },
  record: {
    type: "record",
    record: { stream: "customer", data: { id: "cus_1", tags: [null] }, emitted_at: "2026-05-15T18:00:00.000Z" },
  },
  source_state: { type: "source_state", source_state: { state_type: "global", data: { cursor: 4 } } },
  stream_status: { type: "stream_status", stream_status: { stream: "customer", status: "start" } },
  progress: { type: "progress", progress: { derived: { status: "running" }, records: 4, streams: { customer: 4 } } },
  control: { type: "control", control: { control_type: "source_config", data: { token_ref: "t" } } },
  error: { type: "error", error: { code: "PARTIAL_FAN_OUT", is_final: false, message: "one of two failed" } },
  eof: { type: "eof", eof: { reason: "complete", has_more: false, ...empty } },
};

describe("golden lines", () => {
  const starting = logMessage("info", "starting sync");
  const started: PipelineMessage = { type: "progress", progress: { derived: { status: "started" } } };
  const cursor: PipelineMessage = {
    type: "source_state",
    source_state: { state_type: "stream", stream: "customer", data: { cursor: "cus_123" } },
  };

  test("a bounded run is log, progress, source_state and eof, byte for byte [L-15, L-38]", () => {
    const paused = limitEof("time_limit", { ...empty, ending_state: {} });
    expect([starting, started, cursor, paused].map(writePipelineMessage)).toEqual([
      '{"type":"log","log":{"level":"info","message":"starting sync"}}',
      '{"type":"progress","progress":{"derived":{"status":"started"}}}',
      '{"type":"source_state","source_state":{"state_type":"stream","stream":"customer","data":{"cursor":"cus_123"}}}',
      '{"type":"eof","eof":{"reason":"time_limit","has_more":true,"ending_state":{},"run_progress":{},"request_progress":{}}}',
    ]);
  });

  test("a broken invariant after the start ends in one eof with the whole set of keys [L-15, L-39]", () => {
    expect(writePipelineMessage(errorEof("invariant_violation", "progress emitted before stream start"))).toBe(
      '{"type":"eof","eof":{"reason":"error","has_more":false,"error":{"code":"invariant_violation","message":"progress emitted before stream start"},"ending_state":{},"run_progress":{},"request_progress":{}}}',
    );
  });

  test("a producer that breaks the order leaves one eof line [L-40]", () => {
    expect(writePipelineMessage(errorEof("protocol_violation", "record not allowed in prelude"))).toBe(
      '{"type":"eof","eof":{"reason":"error","has_more":false,"error":{"code":"protocol_violation","message":"record not allowed in prelude"},"ending_state":{},"run_progress":{},"request_progress":{}}}',
    );
  });
});

describe("every type", () => {
  for (const [type, example] of Object.entries(EXAMPLES)) {
    test(`${type} keeps its form and comes back from its line unchanged [L-15]`, () => {
      const line = writePipelineMessage(example);
      expect(line.startsWith(`{"type":"${type}","${type}":{`)).toBe(true);
      expect(readPipelineMessage(JSON.parse(line), strict)).toEqual(example);
    });

    test(`${type} without its payload, or with a wrong one, is refused by name [L-15]`, () => {
      expect(readIssue({ type })).toEqual(refused(type, "required"));
      for (const wrong of [null, [], 1, "x"]) expect(readIssue({ type, [type]: wrong })).toEqual(refused(type, "type"));
    });
  }

  test("a value that is no message is refused, whatever it is [L-15]", () => {
    for (const value of [undefined, null, 1, "log", [], new Map(), () => 1, Symbol("x"), 1n])
      expect(readIssue(value)).toMatchObject({ code: "INVALID_MESSAGE", path: "" });
    expect(readIssue({ type: "logs", logs: {} })).toEqual(refused("type", "one_of"));
    expect(readIssue({ type: "__proto__" })).toEqual(refused("type", "one_of"));
    expect(readIssue(JSON.parse('{"type":"log","log":{"level":"info","message":"","__proto__":{}}}'))).toEqual(
      refused("log.__proto__", "forbidden_key"),
    );
  });

  test("a mode that is none is refused [L-47]", () => {
    for (const options of [undefined, null, {}, { mode: "loose" }])
      expect(issueOf(() => readPipelineMessage(EXAMPLES.log, options as never)).code).toBe("INVALID_ARGUMENT");
  });
});

describe("fields", () => {
  const tooLong = "x".repeat(ENVELOPE_MESSAGE_BYTES_MAX + 1);
  const broken: readonly [path: string, rule: string, value: unknown][] = [
    ["log.level", "one_of", { type: "log", log: { level: "fatal", message: "" } }],
    ["log.message", "well_formed", { type: "log", log: { level: "info", message: "\ud800" } }],
    ["log.message", "rule", { type: "log", log: { level: "info", message: tooLong } }],
    ["connection_status.status", "one_of", { type: "connection_status", connection_status: { status: "ok" } }],
    [
      "connection_status.message",
      "rule",
      { type: "connection_status", connection_status: { status: "failed", message: tooLong } },
    ],
    ["error.message", "rule", { type: "error", error: { code: "X", is_final: false, message: tooLong } }],
    ["catalog.streams.0.name", "length_min", { type: "catalog", catalog: { streams: [{ name: "" }] } }],
    [
      "catalog.streams.0.primary_key",
      "count_min",
      { type: "catalog", catalog: { streams: [{ name: "a", primary_key: [] }] } },
    ],
    ["record.stream", "length_max", { type: "record", record: { stream: "s".repeat(257), data: {} } }],
    ["record.data", "type", { type: "record", record: { stream: "s", data: [] } }],
    ["record.data.n", "type", { type: "record", record: { stream: "s", data: { n: Number.NaN } } }],
    ["record.emitted_at", "pattern", { type: "record", record: { stream: "s", data: {}, emitted_at: "2026-05-15" } }],
    ["source_state.stream", "required", { type: "source_state", source_state: { state_type: "stream", data: {} } }],
    [
      "source_state.stream",
      "absent",
      { type: "source_state", source_state: { state_type: "global", stream: "s", data: {} } },
    ],
    ["stream_status.status", "one_of", { type: "stream_status", stream_status: { stream: "s", status: "started" } }],
    ["progress.derived", "required", { type: "progress", progress: {} }],
    ["progress.records", "minimum", { type: "progress", progress: { derived: { status: "started" }, records: -1 } }],
    ["control.control_type", "one_of", { type: "control", control: { control_type: "pause", data: {} } }],
    ["error.code", "pattern", { type: "error", error: { code: "Error: at line 3", is_final: false } }],
    [
      "eof.error.code",
      "one_of",
      { type: "eof", eof: { reason: "error", has_more: false, error: { code: "x", message: "" }, ...empty } },
    ],
    ["eof.run_progress", "required", { type: "eof", eof: { reason: "complete", has_more: false } }],
  ];
  for (const [path, rule, value] of broken)
    test(`${path} that breaks ${rule} is refused in reading and in writing [L-15, L-51]`, () => {
      expect(readIssue(value)).toEqual(refused(path, rule));
      expect(readIssue(value, lenient)).toEqual(refused(path, rule));
      expect(issueOf(() => writePipelineMessage(value as never))).toEqual(refused(path, rule));
    });

  test("an error message is never final: what ends a stream is its eof [L-17, C-2]", () => {
    expect(readIssue({ type: "error", error: { code: "INTERNAL_ERROR", is_final: true } })).toEqual(
      refused("error.is_final", "literal"),
    );
    expectTypeOf<Extract<PipelineMessage, { type: "error" }>["error"]["is_final"]>().toEqualTypeOf<false>();
  });

  test("levels and stream statuses are the documented ones [L-15]", () => {
    expect(LOG_LEVELS).toEqual(["debug", "info", "warn", "error"]);
    expect(STREAM_STATUSES).toEqual(["start", "running", "complete", "incomplete", "error"]);
  });

  test("data that nests without end is refused, not a stack overflow [L-15]", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const { code, rule } = readIssue({ type: "record", record: { stream: "s", data: cycle } });
    expect({ code, rule }).toEqual({ code: "INVALID_MESSAGE", rule: "depth_max" });
    expect(JSON_DEPTH_MAX).toBeLessThan(1_000);
  });

  test("a message whose data nests as deep as it may is read back from its own line [L-15]", () => {
    let deepest: Json = [];
    for (let depth = 1; depth < JSON_DEPTH_MAX; depth += 1) deepest = [deepest];
    const messages: PipelineMessage[] = [
      { type: "record", record: { stream: "s", data: { deepest } } },
      { type: "source_state", source_state: { state_type: "global", data: deepest } },
      { type: "catalog", catalog: { streams: [{ name: "s", json_schema: { deepest } }] } },
    ];
    for (const message of messages) {
      expect(readPipelineMessage(parseJson(writePipelineMessage(message)), strict)).toEqual(message);
    }
  });

  test("a log text that is too long or ill-formed is made to fit, and one that is no text is refused [C-17]", () => {
    const line = writePipelineMessage(logMessage("error", `\udc00${"x".repeat(9_000)}`));
    const { log } = JSON.parse(line) as { log: { message: string } };
    expect(log.message).toMatch(/^\ufffdx{4079}…\(truncated\)$/);
    expect(issueOf(() => logMessage("info", 5 as never))).toEqual(refused("log.message", "type"));
    expect(issueOf(() => logMessage("loud" as never, ""))).toEqual(refused("log.level", "one_of"));
  });

  test("a field that we do not know is read, and does not travel on [C-31]", () => {
    const eof = {
      reason: "complete",
      has_more: false,
      ending_state: { session_id: "s", checkpoint: "bytes" },
      ...empty,
    };
    const read = readPipelineMessage({ type: "eof", eof: { ...eof, trace: "internal" }, more: 1 }, strict);
    expect(writePipelineMessage(read)).toBe(
      '{"type":"eof","eof":{"reason":"complete","has_more":false,"ending_state":{"session_id":"s"},"run_progress":{},"request_progress":{}}}',
    );
  });
});

describe("an eof without a reason", () => {
  const bare = (eof: object) => ({ type: "eof", eof: { ...eof, ...empty } });
  const error = { code: "internal_error", message: "it failed" };

  test("is refused by the strict reader and never written [L-47]", () => {
    for (const eof of [{ has_more: true }, { has_more: false }, { has_more: false, error }]) {
      expect(readIssue(bare(eof))).toEqual(refused("eof.reason", "required"));
      expect(issueOf(() => writePipelineMessage(bare(eof) as never))).toEqual(refused("eof.reason", "required"));
    }
  });

  test("gets the reason that follows from its other fields in the lenient reader [L-47]", () => {
    const reasonOf = (eof: object) => {
      const read = readPipelineMessage(bare(eof), lenient);
      expect(readPipelineMessage(read, strict)).toBe(read);
      return read.type === "eof" && read.eof.reason;
    };
    expect(reasonOf({ has_more: true })).toBe("state_limit");
    expect(reasonOf({ has_more: true, ending_state: {} })).toBe("state_limit");
    expect(reasonOf({ has_more: false })).toBe("complete");
    expect(reasonOf({ has_more: false, error })).toBe("error");
  });

  test("is still refused by the lenient reader when anything else is wrong [L-47, L-51]", () => {
    expect(readIssue({ type: "eof", eof: { has_more: true } }, lenient)).toEqual(
      refused("eof.run_progress", "required"),
    );
    expect(readIssue(bare({ has_more: true, error }), lenient)).toEqual(refused("eof.has_more", "literal"));
    expect(readIssue(bare({}), lenient)).toEqual(refused("eof.has_more", "required"));
    expect(readIssue(bare({ has_more: 1 }), lenient)).toEqual(refused("eof.has_more", "literal"));
    expect(readIssue(bare({ has_more: true, reason: null }), lenient)).toEqual(refused("eof.reason", "type"));
    expect(readIssue({ type: "eof", eof: [] }, lenient)).toEqual(refused("eof", "type"));
  });

  test("does not change the value that was read [L-47]", () => {
    const value = Object.freeze({ type: "eof", eof: Object.freeze({ has_more: true, ...empty }) });
    readPipelineMessage(value, lenient);
    expect(value.eof).toEqual({ has_more: true, ...empty });
  });
});

test("any record of any JSON is one line that reads back to the same record [L-15]", { timeout }, () => {
  const key = fc.string({ unit: "grapheme", maxLength: 8 }).filter((name) => name !== "__proto__");
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<Json>(null, true, 0, -1.5, 1e21, "\u2028\u2029\u0085\r\n"),
      fc.string({ unit: "grapheme" }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ) as fc.Arbitrary<Json>,
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (data) => {
      const line = writePipelineMessage({ type: "record", record: { stream: "s", data } });
      expect(line).not.toMatch(/[\r\n\u0085\u2028\u2029]/);
      expect(readPipelineMessage(JSON.parse(line), strict)).toEqual({ type: "record", record: { stream: "s", data } });
    }),
    { numRuns: RUNS, ...seeded(11) },
  );
});
