import { randomBytes } from "node:crypto";
import { FramerailError, parseJson, systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { agentOf, handClock } from "../dispatch/testing/turn-bench.js";
import { REPEAT_WINDOW_MS, REPEATS_MAX, SAYINGS_MAX } from "./limits.js";
import type { LogFields } from "./log-fields.js";
import { createLogger, type LoggerOptions } from "./logger.js";
import { startMetered } from "./testing/metered-turn.js";
import { openMetrics, policy, scrape } from "./testing/open-metrics.js";
import { watchUnregistered } from "./unregistered-status.js";

function open(options: Partial<LoggerOptions> = {}) {
  const written: string[] = [];
  const clock = handClock();
  const logger = createLogger({ clock, destination: { write: (line) => void written.push(line) }, ...options });
  const lines = () => written.map((line) => parseJson(line) as Record<string, unknown>);
  return { logger, clock, written, lines };
}

describe("a line", () => {
  test("is one JSON object with a level, a time of the given clock, fields of the list and a sentence", () => {
    const { logger, written, lines } = open();
    logger.info("a turn ended", { turn_id: "turn_1", outcome: "completed", duration_ms: 12, code: undefined });
    expect(written[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(lines()).toEqual([
      {
        level: "info",
        time: "2026-05-15T18:00:00.000Z",
        turn_id: "turn_1",
        outcome: "completed",
        duration_ms: 12,
        message: "a turn ended",
      },
    ]);
  });

  test("is written from its level on", () => {
    for (const [level, count] of [
      ["debug", 4],
      ["info", 3],
      ["warn", 2],
      ["error", 1],
      ["silent", 0],
    ] as const) {
      const { logger, written } = open({ level });
      logger.debug("one thing happened");
      logger.info("two things happened");
      logger.warn("three things happened");
      logger.error("four things happened");
      expect(written, level).toHaveLength(count);
    }
  });

  test("leaves out fields that are not on the list or not of their kind, and says how many [G7]", () => {
    const { logger, lines } = open();
    const fields: object = {
      turn_id: "t",
      message_text: "my diagnosis",
      arguments: { a: 1 },
      headers: { authorization: "x" },
      agent_id: { toString: () => "sly" },
      duration_ms: Number.NaN,
      toString: "x",
    };
    logger.info("a turn ended", fields as LogFields);
    expect(lines()[0]).toMatchObject({ turn_id: "t", fields_left_out: 6 });
    expect(Object.keys(lines()[0] ?? {})).toEqual(["level", "time", "turn_id", "fields_left_out", "message"]);
  });

  test("tells of an error its name, code, message and stack, and the same of its causes, three deep", () => {
    const { logger, lines } = open();
    const deepest = new Error("fourth");
    const error = new FramerailError("STORE_UNAVAILABLE", "first", {
      cause: new TypeError("second", { cause: new Error("third", { cause: deepest }) }),
    });
    logger.error("a commit failed", { turn_id: "t" }, error);
    const told = lines()[0]?.error as Record<string, unknown>;
    expect(Object.keys(told)).toEqual(["name", "code", "message", "stack", "cause"]);
    expect(told).toMatchObject({
      name: "FramerailError",
      code: "STORE_UNAVAILABLE",
      message: "first",
      cause: { name: "TypeError", message: "second", cause: { message: "third" } },
    });
    expect(told.stack).toContain("logger.test.ts");
    expect(JSON.stringify(told)).not.toContain("fourth");
  });

  test("can tell of anything that was thrown", () => {
    const { logger, lines } = open();
    const mean = new Proxy(new Error("x"), {
      get() {
        throw new Error("no");
      },
    });
    const circular = new Error("round");
    circular.cause = circular;
    for (const [index, thrown] of ["a string", null, 7, mean, circular, Object.create(null), { code: 42 }].entries())
      logger.error(`failure ${index}`, {}, thrown);
    expect(lines().map(({ error }) => (error as { name: string }).name)).toEqual([
      "string",
      "object",
      "number",
      "object",
      "Error",
      "object",
      "object",
    ]);
    expect(lines()[6]).toMatchObject({ error: { code: "42" } });
  });
});

describe("secrets", () => {
  const canaries = Array.from({ length: 12 }, () => `Cn${randomBytes(8).toString("hex")}`);
  const [said, argument, bearer, password, cookie, field, prop, nested, request, label, status, apiKey] = canaries as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];

  test("no canary comes out of any sink, whatever it is put into: lines, counts of repeats, the page of metrics [G7] [C-32]", async () => {
    const metrics = openMetrics({ process: true });
    const { logger, written } = open({ level: "debug", clock: systemClock, onLost: () => metrics.logLineLost() });
    const error = Object.assign(new Error(`POST https://u:${password}@host/ with authorization: Bearer ${bearer}`), {
      config: { headers: { cookie }, data: said },
      request,
      detail: `Key (email)=(${prop}) already exists`,
      toJSON: () => nested,
      cause: new Error(`set-cookie: sid=${cookie}; api_key=${apiKey}`),
    });
    const fields: object = {
      turn_id: `frk_${bearer}`,
      route: `/v1/turns?ticket=${bearer}`,
      message: said,
      text: said,
      arguments: { query: argument },
      headers: { cookie },
      user_id: field,
      error: nested,
      suppressed: field,
    };
    for (let round = 0; round < REPEATS_MAX * 3; round += 1) {
      logger.debug(`called with token=${bearer}`, fields as LogFields);
      logger.info(`called with password: ${password}`, fields as LogFields);
      logger.warn(`called with Bearer ${bearer}`, fields as LogFields, error);
      logger.error(`called with https://u:${password}@host`, fields as LogFields, {
        ...error,
        stack: `Basic ${bearer}`,
      });
    }
    const watch = watchUnregistered({
      count: () => metrics.unregisteredStatus(),
      warn: ({ message, ...rest }) => logger.warn(message, rest),
    });
    const agent = agentOf(async ({ writer }) => {
      writer.text(said);
      writer.status("composing_answer", { what: argument });
      writer.write({ type: "tool_call", tool_call_id: label, tool_name: label, arguments: { argument }, timestamp: 1 });
      writer.write({ type: "tool_result", tool_call_id: label, result: status, is_error: false, duration_ms: 1 });
      writer.write({ type: "log", level: "info", message: said });
      throw error;
    });
    const dimensions = { vertical: label, sub_agent_id: label, dm_type: label, experiment_arm: label };
    await startMetered(metrics, agent, { policy, report: watch, dimensions }).ended;
    metrics.httpRequest(`/v1/turns/${label}`, 200);
    logger.close();
    const sinks = written.join("") + (await metrics.text());
    expect(sinks).toContain('"suppressed":10');
    for (const canary of canaries) expect(sinks).not.toContain(canary);
  });
});

describe("repeats", () => {
  test("a warning that repeats is written a few times, and the rest are one line with their number", () => {
    const { logger, clock, lines } = open();
    for (let index = 0; index < 100; index += 1) logger.warn("a reader was cut", { turn_id: `t${index}` });
    expect(lines()).toHaveLength(REPEATS_MAX);
    clock.pass(REPEAT_WINDOW_MS);
    expect(lines()).toHaveLength(REPEATS_MAX + 1);
    expect(lines().at(-1)).toMatchObject({ message: "a reader was cut", turn_id: "t99", suppressed: 95 });
    logger.warn("a reader was cut");
    expect(lines()).toHaveLength(REPEATS_MAX + 2);
    clock.pass(REPEAT_WINDOW_MS);
    expect(lines(), "nothing was left out of the second window").toHaveLength(REPEATS_MAX + 2);
    expect(clock.waiting).toBe(0);
  });

  test("another sentence, another level and another code are not the same", () => {
    const { logger, lines } = open();
    for (let index = 0; index < REPEATS_MAX; index += 1) logger.warn("a commit failed", { code: "A" });
    logger.warn("a commit failed", { code: "B" });
    for (const code of ["STORE_REFUSED", "STORE_REFUSED", "STORE_LOCKED"] as const)
      for (let index = 0; index < REPEATS_MAX; index += 1)
        logger.warn("a commit failed", {}, new FramerailError(code, "no"));
    logger.error("a commit failed", { code: "A" });
    logger.warn("a flush failed", { code: "A" });
    expect(lines()).toHaveLength(REPEATS_MAX * 3 + 3);
    for (let index = 0; index < 20; index += 1) logger.info("a turn ended");
    expect(lines(), "what is no warning is not limited").toHaveLength(REPEATS_MAX * 3 + 23);
  });

  test("sentences without end are held to a number, and none is untold [G8]", () => {
    const { logger, clock, lines } = open();
    for (let index = 0; index < SAYINGS_MAX * 4; index += 1) logger.warn(`sentence number ${index}`);
    expect(lines()).toHaveLength(SAYINGS_MAX + REPEATS_MAX);
    expect(clock.waiting).toBe(SAYINGS_MAX + 1);
    logger.close();
    expect(clock.waiting).toBe(0);
    const suppressed = lines().reduce((sum, line) => sum + Number(line.suppressed ?? 0), 0);
    expect(lines().length - 1 + suppressed).toBe(SAYINGS_MAX * 4);
  });
});

test("a destination that fails costs lines and nothing else, and they are counted", async () => {
  const metrics = openMetrics();
  const destination = {
    write() {
      throw new Error("ENOSPC");
    },
  };
  const { logger } = open({ destination, onLost: () => metrics.logLineLost() });
  for (let index = 0; index < 3; index += 1) logger.error("a commit failed", {}, new Error("x"));
  expect((await scrape(metrics)).value("framerail_log_lines_lost_total")).toBe(3);
});

test("an unregistered status is one warning and one count [W-REG-11] [W-MET-8]", async () => {
  const metrics = openMetrics();
  const { logger, lines } = open();
  const watch = watchUnregistered({
    count: () => metrics.unregisteredStatus(),
    warn: ({ message, ...rest }) => logger.warn(message, rest),
  });
  const agent = agentOf(async ({ writer }) => writer.status("made_up_here"));
  expect(await startMetered(metrics, agent, { policy, report: watch }).ended).toEqual({ kind: "completed" });
  expect(lines()).toMatchObject([{ level: "warn", emitter: "assistant", event_id: "made_up_here" }]);
  expect((await scrape(metrics)).value("status_event_unregistered_id")).toBe(1);
});
