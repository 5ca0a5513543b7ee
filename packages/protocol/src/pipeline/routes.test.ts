import { describe, expect, test } from "vitest";
import { FramerailError } from "../error.js";
import type { StreamReport } from "../lifecycle/guard-stream.js";
import { guardStream } from "../lifecycle/guard-stream.js";
import type { TurnOutcome } from "../lifecycle/outcome.js";
import { completeEof, errorEof, limitEof } from "./eof.js";
import type { PipelineMessage } from "./message.js";
import { readPipelineMessage, writePipelineMessage } from "./message.js";
import { eofOfOutcome } from "./project-outcome.js";
import type { PipelineRoute, RouteOptions } from "./routes.js";
import { createRouteSpec, PIPELINE_ROUTES } from "./routes.js";

const done = completeEof({ run_progress: {}, request_progress: {} });
const status = (of: "start" | "running" | "complete" | "incomplete" | "error"): PipelineMessage => ({
  type: "stream_status",
  stream_status: { stream: "customer", status: of },
});
const check = (of: "succeeded" | "failed"): PipelineMessage => ({
  type: "connection_status",
  connection_status: { status: of },
});

const MESSAGES = {
  log: { type: "log", log: { level: "info", message: "starting sync" } },
  connection_status: check("succeeded"),
  catalog: { type: "catalog", catalog: { streams: [{ name: "customer" }] } },
  record: { type: "record", record: { stream: "customer", data: { id: "cus_123" } } },
  source_state: {
    type: "source_state",
    source_state: { state_type: "stream", stream: "customer", data: { cursor: "cus_123" } },
  },
  "stream_status(start)": status("start"),
  "stream_status(complete)": status("complete"),
  progress: { type: "progress", progress: { derived: { status: "started" } } },
  control: { type: "control", control: { control_type: "source_config", data: {} } },
  error: { type: "error", error: { code: "upstream_partial", is_final: false } },
} as const satisfies Record<string, PipelineMessage>;
type Name = keyof typeof MESSAGES;

async function run(route: PipelineRoute, source: AsyncIterable<PipelineMessage>, options?: RouteOptions) {
  const seen: PipelineMessage[] = [];
  const reports: StreamReport[] = [];
  for await (const message of guardStream(createRouteSpec(route, options), source, {
    onReport: (r) => reports.push(r),
  })) {
    seen.push(readPipelineMessage(message, { mode: "strict" }));
  }
  return { seen, reports, last: seen.at(-1) };
}
async function* stream(...messages: PipelineMessage[]): AsyncGenerator<PipelineMessage> {
  yield* messages;
}
const endsWell = async (route: PipelineRoute, ...messages: PipelineMessage[]) => {
  const { seen } = await run(route, stream(...messages, done));
  return seen.length === messages.length + 1 && seen.at(-1) === done;
};

/** Where each route takes each message: in the prelude, and after a streaming message where it has one. */
const TABLE: [string, PipelineRoute, Name[], Name[]][] = [
  ["/pipeline_check [L-10]", "pipeline_check", ["log", "connection_status"], []],
  ["/source_discover [L-11]", "source_discover", ["log", "catalog"], []],
  [
    "/pipeline_read [L-12]",
    "pipeline_read",
    ["log", "catalog", "stream_status(start)"],
    ["record", "source_state", "stream_status(start)", "stream_status(complete)", "progress", "log", "error"],
  ],
  ["/pipeline_write [L-13]", "pipeline_write", ["log"], ["source_state", "progress", "log", "error"]],
  [
    "/pipeline_sync [L-14]",
    "pipeline_sync",
    ["log", "catalog", "stream_status(start)", "progress"],
    ["source_state", "stream_status(start)", "stream_status(complete)", "progress", "control", "log", "error"],
  ],
  ["/pipeline_setup [L-49]", "pipeline_setup", ["log", "control"], []],
  ["/pipeline_teardown [L-49]", "pipeline_teardown", ["log", "control"], []],
];

describe("what a route takes, and nothing else:", () => {
  for (const [name, route, prelude, streaming] of TABLE) {
    test(name, async () => {
      for (const message of Object.keys(MESSAGES) as Name[]) {
        expect([message, await endsWell(route, MESSAGES[message])]).toEqual([message, prelude.includes(message)]);
        if (streaming.length === 0) continue;
        const opened = await endsWell(route, MESSAGES.log, MESSAGES.source_state, MESSAGES[message]);
        expect([message, opened]).toEqual([message, streaming.includes(message)]);
      }
      expect(await endsWell(route)).toBe(true);
    });
  }
});

test("every route ends with one eof on every outcome [L-55] [L-16] [L-48] [L-51]", async () => {
  async function* throws(): AsyncGenerator<PipelineMessage> {
    yield MESSAGES.log;
    throw new Error("secret");
  }
  for (const route of PIPELINE_ROUTES) {
    for (const source of [
      stream(),
      stream(MESSAGES.log),
      stream(MESSAGES.log, done),
      stream(MESSAGES.record),
      throws(),
    ]) {
      const { seen } = await run(route, source);
      expect(seen.filter(({ type }) => type === "eof")).toHaveLength(1);
      expect(seen.at(-1)?.type).toBe("eof");
    }
  }
});

test("a first message out of order is a sole eof line with protocol_violation [L-27] [L-40] [L-17]", async () => {
  const { seen } = await run("pipeline_read", stream(MESSAGES.record));
  expect(seen.map(writePipelineMessage)).toEqual([
    '{"type":"eof","eof":{"reason":"error","has_more":false,"error":{"code":"protocol_violation","message":"record not allowed in prelude"},"ending_state":{},"run_progress":{},"request_progress":{}}}',
  ]);
});

test("progress before the prelude allows it is a violation [L-42]", async () => {
  for (const route of ["pipeline_read", "pipeline_write"] as const) {
    expect((await run(route, stream(MESSAGES.progress))).last).toMatchObject({
      eof: { error: { code: "protocol_violation" } },
    });
  }
});

test("catalog after a record is a violation on /pipeline_read [L-28]", async () => {
  const { last } = await run("pipeline_read", stream(MESSAGES.catalog, MESSAGES.record, MESSAGES.catalog));
  expect(last).toMatchObject({ eof: { error: { message: "catalog not allowed in streaming" } } });
});

test("log keeps the prelude open, so a catalog may follow it [L-57]", async () => {
  expect(
    await endsWell("pipeline_read", MESSAGES.log, MESSAGES.log, MESSAGES.catalog, MESSAGES.log, MESSAGES.catalog),
  ).toBe(true);
  expect(await endsWell("pipeline_sync", MESSAGES.progress, MESSAGES.catalog)).toBe(true);
});

test("only stream_status(start) may come in the prelude [L-58]", async () => {
  expect(await endsWell("pipeline_read", status("start"))).toBe(true);
  for (const of of ["running", "complete", "incomplete", "error"] as const) {
    expect((await run("pipeline_read", stream(status(of)))).seen).toMatchObject([
      { eof: { error: { code: "protocol_violation" } } },
    ]);
  }
  const hollow = { type: "stream_status" } as PipelineMessage;
  expect((await run("pipeline_read", stream(hollow))).last).toMatchObject({ eof: { reason: "error" } });
});

describe("a connection_status", () => {
  test("that succeeded keeps the stream open; one that failed is followed by eof at once [L-59] [L-50] [I-8]", async () => {
    expect(await endsWell("pipeline_check", check("succeeded"), MESSAGES.log)).toBe(true);
    const { seen, reports } = await run("pipeline_check", stream(check("failed"), MESSAGES.log));
    expect(seen).toEqual([check("failed"), done]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reports).toMatchObject([{ kind: "late", message_type: "log" }]);
  });
  test("that failed is itself the end where the older form is kept [L-10] [L-59]", async () => {
    const { seen } = await run("pipeline_check", stream(check("failed"), done), { failedCheckEnds: "itself" });
    expect(seen).toEqual([check("failed")]);
  });
});

test("a silent end is complete where the work is one answer, and a violation where state is carried [L-60]", async () => {
  const complete: PipelineRoute[] = ["pipeline_check", "source_discover", "pipeline_setup", "pipeline_teardown"];
  for (const route of PIPELINE_ROUTES) {
    const { last } = await run(route, stream(MESSAGES.log));
    if (complete.includes(route)) expect(last).toEqual(done);
    else expect(last).toMatchObject({ eof: { reason: "error", error: { code: "protocol_violation" } } });
  }
});

test("an exception becomes an eof that tells its class and nothing else [L-31] [L-39] [C-17] [L-1]", async () => {
  const cases: [unknown, string][] = [
    [new Error("password=CANARY"), "internal_error"],
    ["CANARY", "internal_error"],
    [new FramerailError("INVARIANT_VIOLATION", "CANARY"), "invariant_violation"],
    [new FramerailError("PROTOCOL_VIOLATION", "CANARY"), "protocol_violation"],
    [new FramerailError("CANCELLED", "CANARY"), "internal_error"],
  ];
  for (const [thrown, code] of cases) {
    async function* fails(): AsyncGenerator<PipelineMessage> {
      yield MESSAGES.log;
      yield MESSAGES.progress;
      throw thrown;
    }
    const { seen, reports } = await run("pipeline_sync", fails());
    expect(seen).toHaveLength(3);
    const { eof } = seen[2] as PipelineMessage & { type: "eof" };
    expect(Object.keys(eof)).toEqual([
      "reason",
      "has_more",
      "error",
      "ending_state",
      "run_progress",
      "request_progress",
    ]);
    expect(eof).toMatchObject({ reason: "error", has_more: false, error: { code } });
    expect(JSON.stringify(seen)).not.toContain("CANARY");
    expect(reports).toMatchObject([{ kind: "thrown", error: thrown }]);
  }
});

test("a bounded run passes with its own eof [L-38]", async () => {
  const pause = limitEof("time_limit", { ending_state: {}, run_progress: {}, request_progress: {} });
  const { seen } = await run("pipeline_sync", stream(MESSAGES.log, MESSAGES.progress, MESSAGES.source_state, pause));
  expect(seen).toEqual([MESSAGES.log, MESSAGES.progress, MESSAGES.source_state, pause]);
});

test("an eof made by the engine carries what is known of the work [L-51] [L-23] [C-31]", async () => {
  const details = () => ({
    ending_state: { streams: { customer: { cursor: "cus_123" } } },
    run_progress: { records: 9 },
    request_progress: { records: 3 },
  });
  const { last } = await run("pipeline_read", stream(MESSAGES.record), { details });
  expect(last).toMatchObject({ eof: { run_progress: { records: 9 }, request_progress: { records: 3 } } });
  const spec = createRouteSpec("pipeline_read", { details });
  expect(spec.on_abort?.()).toMatchObject({ eof: { reason: "aborted", has_more: true } });
  expect(createRouteSpec("pipeline_read").on_abort?.()).toMatchObject({ eof: { reason: "aborted", has_more: false } });
});

test("details that are wrong or cannot be had do not cost the reader its end [L-16]", async () => {
  const bad = [() => ({ run_progress: { records: -1 }, request_progress: {} }), () => undefined as never, fails];
  for (const details of bad) {
    const spec = createRouteSpec("pipeline_read", { details });
    expect(spec.on_abort?.()).toMatchObject({ eof: { reason: "aborted", run_progress: {}, request_progress: {} } });
    expect((await run("pipeline_read", stream(MESSAGES.record), { details })).last).toMatchObject({
      eof: { reason: "error" },
    });
    expect((await run("pipeline_check", stream(), { details })).last).toEqual(done);
  }
  function fails(): never {
    throw new Error("counter is gone");
  }
});

test("a turn's outcome projects to its eof [C-3] [L-21] [L-22] [L-23] [L-24]", () => {
  const details = { run_progress: {}, request_progress: {} };
  const failed = (cause: "application" | "deadline" | "protocol_violation" | "invariant_violation"): TurnOutcome => ({
    kind: "failed",
    error: { code: "INTERNAL_ERROR" },
    cause,
  });
  expect(eofOfOutcome({ kind: "completed" }, details)).toEqual(done);
  expect(eofOfOutcome({ kind: "paused", limit: "time_limit" }, details)).toMatchObject({
    eof: { reason: "time_limit", has_more: true },
  });
  expect(eofOfOutcome({ kind: "cancelled", code: "IDLE_TIMEOUT" }, details)).toMatchObject({
    eof: { reason: "aborted", has_more: false },
  });
  expect(eofOfOutcome(failed("deadline"), details)).toMatchObject({ eof: { error: { code: "internal_error" } } });
  expect(eofOfOutcome(failed("protocol_violation"), details)).toMatchObject({
    eof: { error: { code: "protocol_violation" } },
  });
  expect(eofOfOutcome(failed("invariant_violation"), details)).toMatchObject({
    eof: { error: { code: "invariant_violation" } },
  });
  expect(errorEof("internal_error", "x").eof.has_more).toBe(false);
});
