import { randomUUID } from "node:crypto";
import { type Clock, EVENT_TYPES, FRAME_TYPES, systemClock } from "@framerail/protocol";
import { Counter, Registry } from "prom-client";
import { expect, test } from "vitest";
import { POLICIES } from "../registry/registry.js";
import { DIMENSIONS } from "./dimensions.js";
import { DIMENSION_SETS_MAX, DIMENSION_VALUES_MAX, ROUTES_MAX, STATUS_IDS_MAX } from "./limits.js";
import {
  ALL_METRICS,
  AUTH_FAILURES,
  DECISIONS,
  FAILURE_CODES,
  labelNames,
  prometheusName,
} from "./metric-catalogue.js";
import type { Metrics } from "./metrics.js";
import { openMetrics, scrape } from "./testing/open-metrics.js";

/** Everything that can be counted, each with a word that is known and with one that is not. */
function countEverything(metrics: Metrics, words: { known: boolean; word: string }): void {
  const of = <T extends string>(known: T): T => (words.known ? known : (words.word as T));
  const dimensions = Object.fromEntries(DIMENSIONS.map((name) => [name, words.word]));
  const turn = metrics.turn(dimensions);
  const meter = metrics.stream(dimensions);
  meter.frame(of("text"), 10);
  meter.status(of("composing_answer"));
  meter.policy(of("text"), of("forward"));
  meter.errorFrame(of("INTERNAL_ERROR"));
  meter.oversized();
  meter.dropped();
  meter.rejected();
  for (let started = -1; started === -1; meter.endWrite(started)) started = meter.startWrite();
  turn.ttfe(1);
  turn.terminal(of("completed"));
  turn.cancelled(of("REQUEST_CANCELLED"));
  turn.end(of("completed"));
  metrics.unregisteredStatus();
  metrics.reader(of("sse"))(of("slow"));
  metrics.commitTook(1);
  metrics.logFlushTook(1);
  metrics.httpRequest(of("/v1/turns/:id"), words.known ? 200 : 777);
  metrics.authFailure(of("missing"));
  metrics.logLineLost();
}

const seriesOf = (name: string) => name.replace(/_(?:bucket|sum|count)$/, "");

test("every metric has the labels of its allow-list and no other, and every stream metric the five dimensions [W-MET-11] [C-32]", async () => {
  const metrics = openMetrics({ routes: ["/v1/turns/:id"] });
  countEverything(metrics, { known: true, word: "shop" });
  const { series, kinds } = await scrape(metrics);
  expect([...kinds.keys()].sort()).toEqual(ALL_METRICS.map(prometheusName).sort());
  const allowed = new Map(ALL_METRICS.map((metric) => [prometheusName(metric), labelNames(metric).sort()]));
  for (const { name, labels } of series) {
    const names = Object.keys(labels).filter((label) => label !== "le");
    expect(names.sort(), name).toEqual(allowed.get(allowed.has(name) ? name : seriesOf(name)));
    const sliced = DIMENSIONS.filter((dimension) => dimension in labels);
    expect(sliced, name).toEqual(name.startsWith("stream_") ? DIMENSIONS : []);
  }
  const counted = new Set(series.filter(({ value }) => value > 0).map(({ name }) => seriesOf(name)));
  expect(ALL_METRICS.map(prometheusName).filter((name) => !counted.has(name))).toEqual([
    "framerail_turns_running",
    "framerail_readers_open",
  ]);
});

test("no label is the name of a session, a user, a connection, a tenant or a turn [C-32]", () => {
  for (const metric of ALL_METRICS)
    for (const label of labelNames(metric))
      expect(label).not.toMatch(/session|user|connection|org|tenant|turn|request|ip/);
});

test("ids that are passed where a word belongs are on no page, and are counted as other [C-32] [W-MET-11]", async () => {
  const metrics = openMetrics({ process: true });
  const ids = Array.from({ length: 50 }, () => randomUUID());
  for (const word of ids) countEverything(metrics, { known: false, word });
  const page = await metrics.text();
  for (const id of ids) expect(page).not.toContain(id);
  const read = await scrape(metrics);
  for (const dimension of DIMENSIONS) expect(read.by("stream_events_emitted_total", dimension)).toEqual({ other: 50 });
  expect(read.by("stream_events_emitted_total", "event_type")).toEqual({ other: 50 });
  expect(read.by("stream_rendering_policy_applied_total", "policy")).toEqual({ other: 50 });
  expect(read.by("framerail_http_requests_total", "route")).toEqual({ other: 50 });
  expect(read.by("framerail_http_requests_total", "status_class")).toEqual({ other: 50 });
  expect(read.by("framerail_turns_ended_total", "outcome")).toEqual({ other: 50 });
  expect(read.by("framerail_readers_cut_total", "reason")).toEqual({ other: 50 });
});

test("a turn without a dimension has none, and a listed value is shown as it is [W-MET-11]", async () => {
  const metrics = openMetrics({ dimensions: { vertical: ['a"b\\c\nd'], experiment_arm: ["b"] } });
  metrics.stream({ vertical: 'a"b\\c\nd', experiment_arm: "", dm_type: "unlisted" }).frame("text", 1);
  expect((await scrape(metrics)).series.find(({ name }) => name === "stream_events_emitted_total")?.labels).toEqual({
    vertical: 'a"b\\c\nd',
    sub_agent_id: "none",
    dm_type: "other",
    experiment_arm: "none",
    agent_definition_version: "none",
    event_type: "text",
  });
});

test("lists past their maximum, and combinations past theirs, become other and lose no count [W-MET-11]", async () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  let pauses = 0;
  const clock: Clock = {
    ...systemClock,
    schedule(ms, callback) {
      pauses += 1;
      return systemClock.schedule(ms, callback);
    },
  };
  const metrics = openMetrics({
    clock,
    dimensions: { vertical: numbers(DIMENSION_VALUES_MAX + 10), dm_type: numbers(DIMENSION_VALUES_MAX) },
    statusIds: numbers(STATUS_IDS_MAX + 10),
    routes: numbers(ROUTES_MAX + 10),
  });
  for (const vertical of numbers(DIMENSION_VALUES_MAX + 10)) metrics.stream({ vertical }).frame("text", 1);
  for (const id of numbers(STATUS_IDS_MAX + 10)) metrics.stream().status(id);
  for (const route of numbers(ROUTES_MAX + 10)) metrics.httpRequest(route, 200);
  const page = await scrape(metrics);
  expect(page.by("stream_events_emitted_total", "vertical")).toMatchObject({ v0: 1, v63: 1, other: 10 });
  expect(page.by("stream_status_event_emitted_total", "event_id")).toMatchObject({ v511: 1, other: 10 });
  expect(page.by("framerail_http_requests_total", "route")).toMatchObject({ v127: 1, other: 10 });

  let turns = DIMENSION_VALUES_MAX + 10;
  for (const vertical of numbers(40))
    for (const dm_type of numbers(40)) {
      metrics.stream({ vertical, dm_type }).frame("text", 1);
      turns += 1;
    }
  const { series, value } = await scrape(metrics);
  const sets = series.filter(
    ({ name, labels }) => name === "stream_events_emitted_total" && labels.event_type === "text",
  );
  expect(value("stream_events_emitted_total", { event_type: "text" })).toBe(turns);
  expect(pauses, "a long page is made in pieces").toBeGreaterThan(2);
  // One set is there for what has no dimension, one more for what is one too many.
  expect(sets).toHaveLength(DIMENSION_SETS_MAX);
  expect(sets.find(({ labels }) => DIMENSIONS.every((name) => labels[name] === "other"))?.value).toBeGreaterThan(1_000);
});

test("the closed lists are those of the wire, the vocabulary and the registry [W-MET-1] [W-MET-3] [W-MET-5]", async () => {
  expect([...DECISIONS].sort()).toEqual([...POLICIES].sort());
  const metrics = openMetrics();
  const meter = metrics.stream();
  for (const type of FRAME_TYPES) meter.frame(type, 1);
  for (const type of EVENT_TYPES) for (const decision of POLICIES) meter.policy(type, decision);
  for (const code of FAILURE_CODES) meter.errorFrame(code);
  for (const reason of AUTH_FAILURES) metrics.authFailure(reason);
  const page = await scrape(metrics);
  const ones = (words: readonly string[], count = 1) => Object.fromEntries(words.map((word) => [word, count]));
  expect(page.by("stream_events_emitted_total", "event_type")).toEqual(ones(FRAME_TYPES));
  expect(page.by("stream_rendering_policy_applied_total", "event_type")).toEqual(ones(EVENT_TYPES, 4));
  expect(page.by("stream_rendering_policy_applied_total", "policy")).toEqual(ones(POLICIES, EVENT_TYPES.length));
  expect(page.by("stream_error_frame_emitted_total", "code")).toEqual(ones(FAILURE_CODES));
  expect(page.by("framerail_auth_failures_total", "reason")).toEqual(ones(AUTH_FAILURES));
});

test("a frame is in the smallest class it fits in, and one over the limit in the last [W-NFR-7]", async () => {
  const metrics = openMetrics();
  const meter = metrics.stream();
  for (const size of [0, 1, 1_024, 1_025, 2_048, 2_049, 131_073, 262_144, 262_145, 9_000_000])
    meter.frame("text", size);
  meter.oversized();
  expect((await scrape(metrics)).by("stream_frame_sizes_total", "bytes_max")).toEqual({
    1024: 3,
    2048: 2,
    4096: 1,
    262144: 2,
    inf: 3,
  });
});

test("what can happen once in a turn is counted once [W-MET-4] [W-MET-10]", async () => {
  const metrics = openMetrics();
  const turn = metrics.turn({});
  for (let round = 0; round < 3; round += 1) {
    turn.terminal("cancelled");
    turn.cancelled("IDLE_TIMEOUT");
    turn.end("cancelled");
  }
  const page = await scrape(metrics);
  expect(page.value("stream_terminal_frame_emitted_total")).toBe(1);
  expect(page.value("stream_turn_cancelled_total")).toBe(1);
  expect(page.value("framerail_turns_ended_total")).toBe(1);
  expect(page.value("framerail_turns_running")).toBe(0);
});

test("counting a frame costs a small part of what a labelled counter costs [W-NFR-2]", () => {
  const labels = Object.fromEntries(DIMENSIONS.map((name) => [name, "none"]));
  const labelled = new Counter({
    name: "labelled",
    help: "for comparison",
    labelNames: [...DIMENSIONS, "event_type"],
    registers: [new Registry()],
  });
  const meter = openMetrics().stream();
  const types = ["text", "text", "text", "status", "reasoning"] as const;
  const cpuOf = (count: (index: number) => void) => {
    for (let index = 0; index < 20_000; index += 1) count(index);
    const before = process.cpuUsage();
    for (let index = 0; index < 200_000; index += 1) count(index);
    return process.cpuUsage(before).user;
  };
  const ours = cpuOf((index) => meter.frame(types[index % 5] ?? "text", 300));
  const theirs = cpuOf((index) => labelled.inc({ ...labels, event_type: types[index % 5] ?? "text" }));
  expect(theirs / ours).toBeGreaterThan(5);
});
