import { FramerailError } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { defineSubAgent } from "../agent/sub-agent.js";
import { says } from "../agent/testing/scripted.js";
import { buildAgents } from "../worker/build-agents.js";
import { countRejected } from "./count-rejected.js";
import { OBSERVATIONS_WAITING_MAX, WRITES_PER_SAMPLE } from "./limits.js";
import { busyAgent, startMetered } from "./testing/metered-turn.js";
import { openMetrics, policy, registry, scrape } from "./testing/open-metrics.js";
import { readExposition } from "./testing/read-exposition.js";
import { watchUnregistered } from "./unregistered-status.js";

describe("times", () => {
  test("the first frame of a turn is timed once, in buckets below a millisecond [W-MET-9] [W-NFR-1]", async () => {
    const metrics = openMetrics();
    const meter = metrics.turn({});
    meter.ttfe(0.4);
    meter.ttfe(900);
    metrics.turn({}).ttfe(30);
    const page = await scrape(metrics);
    const bucket = (le: string) => page.value("stream_ttfe_seconds_bucket", { le });
    expect([bucket("0.00025"), bucket("0.0005"), bucket("0.025"), bucket("0.05"), bucket("+Inf")]).toEqual([
      0, 1, 1, 2, 2,
    ]);
    expect(page.value("stream_ttfe_seconds_sum")).toBeCloseTo(0.0304, 6);
    expect(page.kinds.get("stream_ttfe_seconds")).toBe("histogram");
  });

  test("of so many writes one is timed, whoever writes, in buckets below a millisecond [W-MET-9] [W-NFR-2]", async () => {
    let now = 0;
    const metrics = openMetrics({ nowMs: () => now });
    const meters = [metrics.stream(), metrics.stream()];
    for (let index = 0; index < WRITES_PER_SAMPLE * 3; index += 1) {
      const meter = meters[index % 2] ?? expect.fail();
      const started = meter.startWrite();
      now += 0.003;
      meter.endWrite(started);
    }
    const page = await scrape(metrics);
    expect(page.value("stream_writer_overhead_seconds_count")).toBe(3);
    expect(page.value("stream_writer_overhead_seconds_bucket", { le: "0.0000025" })).toBe(0);
    expect(page.value("stream_writer_overhead_seconds_bucket", { le: "0.000005" })).toBe(3);
    const bounds = page.series.filter(({ name }) => name === "stream_writer_overhead_seconds_bucket");
    expect(bounds.filter(({ labels }) => Number(labels.le) < 0.001).length).toBeGreaterThan(5);
  });

  test("commits and writes of the log are timed, and a time that is none is left out", async () => {
    const metrics = openMetrics();
    for (const ms of [3, 40, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      metrics.commitTook(ms);
      metrics.logFlushTook(ms);
      metrics.turn({}).ttfe(ms);
    }
    const page = await scrape(metrics);
    for (const name of ["framerail_commit_seconds", "framerail_log_flush_seconds", "stream_ttfe_seconds"]) {
      expect(page.value(`${name}_count`), name).toBe(2);
      expect(page.value(`${name}_sum`), name).toBeCloseTo(0.043, 6);
    }
  });
});

describe("times that wait to be counted together", () => {
  test("are all on the next page, however many they are, and once", async () => {
    const metrics = openMetrics();
    const more = async (count: number) => {
      for (let tick = 0; tick < count; tick += 1) metrics.logFlushTook(2);
      return (await scrape(metrics)).value("framerail_log_flush_seconds_count");
    };
    expect(await more(OBSERVATIONS_WAITING_MAX - 1)).toBe(OBSERVATIONS_WAITING_MAX - 1);
    expect(await more(OBSERVATIONS_WAITING_MAX + 1)).toBe(2 * OBSERVATIONS_WAITING_MAX);
    expect(await more(0)).toBe(2 * OBSERVATIONS_WAITING_MAX);
  });
});

describe("what must stay zero", () => {
  test("is there as zero before anything happened [W-MET-6] [W-MET-7] [W-MET-8]", async () => {
    const page = await scrape(openMetrics());
    expect(page.value("stream_sse_frame_dropped_total")).toBe(0);
    expect(page.value("stream_unregistered_event_rejected_total")).toBe(0);
    expect(page.value("status_event_unregistered_id")).toBe(0);
    const ends = page.series.filter(({ name }) => name === "stream_terminal_frame_emitted_total");
    expect(ends.map(({ labels, value }) => [labels.type, value])).toEqual([
      ["completed", 0],
      ["error", 0],
      ["cancelled", 0],
    ]);
  });

  test("a frame lost at the relay is counted, and a normal turn loses none [W-MET-7] [W-NFR-5]", async () => {
    const metrics = openMetrics();
    await startMetered(metrics, busyAgent).ended;
    expect((await scrape(metrics)).value("stream_sse_frame_dropped_total")).toBe(0);
    metrics.stream().dropped();
    expect((await scrape(metrics)).value("stream_sse_frame_dropped_total")).toBe(1);
  });

  test("an agent that is refused when built is counted, and no model is asked [W-MET-6] [W-AC-5]", async () => {
    const metrics = openMetrics();
    const model = says({ text: "hello" });
    let asked = 0;
    const counted = {
      ...model,
      doStream: (...given: Parameters<typeof model.doStream>) => {
        asked += 1;
        return model.doStream(...given);
      },
    };
    const build = (emits: string[]) => {
      const shop = defineSubAgent({ id: "shop", emits, onCancel: () => undefined });
      return countRejected(metrics.stream(), () =>
        buildAgents([defineAgent({ id: "assistant", model: counted, subAgents: [shop] })], registry),
      );
    };
    expect(() => build(["searching_ofers"])).toThrow("searching_ofers");
    build(["searching_offers"]);
    const failed = new FramerailError("INVALID_AGENT", "another failure");
    const fail = () => {
      throw failed;
    };
    expect(() => countRejected(metrics.stream(), fail)).toThrow(failed);
    expect((await scrape(metrics)).value("stream_unregistered_event_rejected_total")).toBe(1);
    expect(asked).toBe(0);
  });

  test("an id that is made up in a turn is counted, and the turn completes [W-MET-8] [W-REG-11]", async () => {
    const metrics = openMetrics();
    const watch = watchUnregistered({ count: () => metrics.unregisteredStatus(), warn: () => undefined });
    const { ended } = startMetered(metrics, busyAgent, { policy, report: watch });
    expect(await ended).toEqual({ kind: "completed" });
    expect((await scrape(metrics)).value("status_event_unregistered_id")).toBe(1);
  });
});

describe("the edge", () => {
  test("readers are counted while they are there, and those we cut by the reason", async () => {
    const metrics = openMetrics();
    const [first, second, third] = [metrics.reader("sse"), metrics.reader("sse"), metrics.reader("websocket")];
    expect((await scrape(metrics)).by("framerail_readers_open", "transport")).toEqual({ sse: 2, websocket: 1 });
    first();
    first("slow");
    second("slow");
    third("lost");
    const page = await scrape(metrics);
    expect(page.by("framerail_readers_open", "transport")).toEqual({});
    expect(page.by("framerail_readers_cut_total", "reason")).toEqual({ slow: 1, lost: 1 });
    expect(page.value("framerail_readers_cut_total", { transport: "grpc", reason: "slow" })).toBe(0);
  });

  test("requests are counted by route and class, callers turned away by reason, lost lines by number", async () => {
    const metrics = openMetrics({ routes: ["/v1/turns/:id"] });
    metrics.httpRequest("/v1/turns/:id", 200);
    metrics.httpRequest("/v1/turns/:id", 204);
    metrics.httpRequest("/v1/turns/:id", 503);
    metrics.authFailure("expired");
    metrics.logLineLost();
    const page = await scrape(metrics);
    expect(page.by("framerail_http_requests_total", "status_class")).toEqual({ "2xx": 2, "5xx": 1 });
    expect(page.by("framerail_auth_failures_total", "reason")).toEqual({ expired: 1 });
    expect(page.value("framerail_log_lines_lost_total")).toBe(1);
  });

  test("who asks for the page while it is made gets the same, and the process is told of on it", async () => {
    const metrics = openMetrics({ process: true });
    const [first, second] = [metrics.text(), metrics.text()];
    expect(first).toBe(second);
    expect(metrics.text()).toBe(first);
    const page = readExposition(await first);
    expect(page.value("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(metrics.text()).not.toBe(first);
    expect(metrics.contentType).toContain("text/plain; version=0.0.4");
  });

  test("two sets of metrics in one process do not mix", async () => {
    const [one, other] = [openMetrics({ process: true }), openMetrics({ process: true })];
    one.logLineLost();
    expect((await scrape(other)).value("framerail_log_lines_lost_total")).toBe(0);
  });
});
