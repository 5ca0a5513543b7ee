// The metrics of a process: what it counts, and the page that Prometheus reads.
// Owns: the registry they are in, and what an operator asks beside the stream: turns, readers, requests, latencies. Does
// not own: names and labels (metric-catalogue.ts), the stream's counts (stream-rows.ts), who may read the page (gateway/).
//   M1. A registry of its own: nothing is global, two processes in one program do not mix.
//   M2. Only labels and label values of the catalogue: the rest is "other" [C-32].
//   M3. Nothing here throws at who calls it; a duration that is none is not counted.
//   M4. One page is made at a time; who asks meanwhile gets the same. A long one is made in pieces, so that no stream
//       stands still for it.

import type { Clock } from "@framerail/protocol";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Dimensions, DimensionValues } from "./dimensions.js";
import { boundValues, OTHER } from "./dimensions.js";
import {
  LOOP_SAMPLE_MS,
  OBSERVATIONS_WAITING_MAX,
  PAGE_PIECE_LENGTH,
  ROUTES_MAX,
  WRITES_PER_SAMPLE,
} from "./limits.js";
import type { AuthFailure, Cut, Metric, Transport } from "./metric-catalogue.js";
import { AUTH_FAILURES, CUTS, labelNames, METRICS, OUTCOMES, prometheusName, TRANSPORTS } from "./metric-catalogue.js";
import type { Family, Row, StreamRows } from "./stream-rows.js";
import { createStreamRows } from "./stream-rows.js";
import type { StreamMeter, TurnMeter, TurnMeterOptions, WriteTiming } from "./turn-meter.js";
import { createStreamMeter, createTurnMeter } from "./turn-meter.js";

export interface MetricsOptions {
  /** The values of the five dimensions that are told apart. */
  readonly dimensions?: DimensionValues;
  /** The ids of the registry. */
  readonly statusIds?: readonly string[];
  /** The routes of the server, as patterns. */
  readonly routes?: readonly string[];
  readonly clock: Clock;
  /** In milliseconds, steady, with fractions: for durations below a millisecond a wall clock is too coarse. */
  nowMs(): number;
  /** Memory, CPU, event loop and garbage collection of the process; left out where another part tells them. */
  readonly process?: boolean;
}

export interface Metrics {
  readonly contentType: string;
  /** The page, in the text format of Prometheus. */
  text(): Promise<string>;
  /** Counts one turn; call its `end`. */
  turn(dimensions: Dimensions): TurnMeter;
  /** Counts what belongs to no turn that runs here: a reader's lost frame, an agent that was not built. */
  stream(dimensions?: Dimensions): StreamMeter;
  /** The counter `status_event.unregistered_id` [W-MET-8]. */
  unregisteredStatus(): void;
  /** A reader is connected; call the returned function when it is not, with the reason if we cut it. */
  reader(transport: Transport): (cut?: Cut) => void;
  commitTook(ms: number): void;
  logFlushTook(ms: number): void;
  httpRequest(route: string, status: number): void;
  authFailure(reason: AuthFailure): void;
  logLineLost(): void;
}

export function createMetrics(options: MetricsOptions): Metrics {
  // M1
  const registry = new Registry();
  const rows = createStreamRows(options.dimensions ?? {}, options.statusIds ?? []);
  for (const family of Object.values(rows.layout)) showFamily(registry, family, rows.all);
  if (options.process ?? true) {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  }
  const unregistered = counter(registry, METRICS.unregistered);
  const lost = counter(registry, METRICS.logLinesLost);
  const commit = histogram(registry, METRICS.commit);
  const timing = timeWrites(registry, options.nowMs);
  let scrape: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    // M4
    text() {
      scrape ??= writePage(registry, options.clock).finally(() => {
        scrape = undefined;
      });
      return scrape;
    },
    turn: countTurns(registry, rows),
    stream: (dimensions = {}) => createStreamMeter(rows, dimensions, timing),
    unregisteredStatus: () => unregistered.inc(),
    reader: countReaders(registry),
    commitTook: (ms) => observe(commit, {}, ms),
    logFlushTook: observeLater(registry, METRICS.logFlush),
    httpRequest: countRequests(registry, options.routes ?? []),
    authFailure: countAuthFailures(registry),
    logLineLost: () => lost.inc(),
  };
}

// M4
async function writePage(registry: Registry, clock: Clock): Promise<string> {
  let page = "";
  let pauseAt = PAGE_PIECE_LENGTH;
  for (const { name } of registry.getMetricsAsArray()) {
    page += `${await registry.getSingleMetricAsString(name)}\n\n`;
    if (page.length < pauseAt) continue;
    pauseAt = page.length + PAGE_PIECE_LENGTH;
    await new Promise<void>((resolve) => clock.schedule(0, resolve));
  }
  return page;
}

function timeWrites(registry: Registry, nowMs: () => number): WriteTiming {
  const overhead = histogram(registry, METRICS.writerOverhead);
  return {
    nowMs,
    sampler: { left: WRITES_PER_SAMPLE },
    observeWrite: ({ labels }, ms) => observe(overhead, labels, ms),
  };
}

function countTurns(registry: Registry, rows: StreamRows): Metrics["turn"] {
  const started = counter(registry, METRICS.turnsStarted);
  const ended = counter(registry, METRICS.turnsEnded);
  const running = gauge(registry, METRICS.turnsRunning);
  const ttfe = histogram(registry, METRICS.ttfe);
  for (const outcome of OUTCOMES) ended.inc({ outcome }, 0);
  const options: TurnMeterOptions = {
    rows,
    observeTtfe: ({ labels }, ms) => observe(ttfe, labels, ms),
    onEnd(outcome) {
      running.dec();
      ended.inc({ outcome: onList(OUTCOMES, outcome) });
    },
  };
  return (dimensions) => {
    started.inc();
    running.inc();
    return createTurnMeter(options, dimensions);
  };
}

function countReaders(registry: Registry): Metrics["reader"] {
  const open = gauge(registry, METRICS.readersOpen);
  const cuts = counter(registry, METRICS.readersCut);
  for (const transport of TRANSPORTS) {
    open.set({ transport }, 0);
    for (const reason of CUTS) cuts.inc({ transport, reason }, 0);
  }
  return (given) => {
    const transport = onList(TRANSPORTS, given);
    let isOpen = true;
    open.inc({ transport });
    return (cut) => {
      if (!isOpen) return;
      isOpen = false;
      open.dec({ transport });
      if (cut !== undefined) cuts.inc({ transport, reason: onList(CUTS, cut) });
    };
  };
}

function countRequests(registry: Registry, given: readonly string[]): Metrics["httpRequest"] {
  const requests = counter(registry, METRICS.httpRequests);
  const routes = new Set(boundValues(given, ROUTES_MAX));
  return (route, status) =>
    requests.inc({
      route: routes.has(route) ? route : OTHER,
      status_class: status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : OTHER,
    });
}

function countAuthFailures(registry: Registry): Metrics["authFailure"] {
  const failures = counter(registry, METRICS.authFailures);
  for (const reason of AUTH_FAILURES) failures.inc({ reason }, 0);
  return (reason) => failures.inc({ reason: onList(AUTH_FAILURES, reason) });
}

/** The cells of a family as a counter, made anew for each page. */
function showFamily(registry: Registry, family: Family, rows: Iterable<Row>): void {
  const shown: Counter = new Counter({
    ...configOf(registry, family.metric),
    collect() {
      shown.reset();
      for (const row of rows) family.read(row, (labels, value) => shown.inc(labels, value));
    },
  });
}

// M3
function observe(histogram: Histogram, labels: Record<string, string>, ms: number): void {
  if (Number.isFinite(ms) && ms >= 0) histogram.observe(labels, ms / 1_000);
}

/** For what comes every tick: a histogram takes many at once for little more than one. None is missing from a page. */
function observeLater(registry: Registry, metric: Metric): (ms: number) => void {
  let waiting: number[] = [];
  const flush = () => {
    const taken = waiting;
    waiting = [];
    for (const ms of taken) observe(shown, {}, ms);
  };
  const shown = histogram(registry, metric, flush);
  return (ms) => {
    if (waiting.push(ms) === OBSERVATIONS_WAITING_MAX) flush();
  };
}

// M2: the types say so already; who calls from plain JavaScript has none.
function onList(list: readonly string[], value: string): string {
  return list.includes(value) ? value : OTHER;
}

function counter(registry: Registry, metric: Metric): Counter {
  return new Counter(configOf(registry, metric));
}

function gauge(registry: Registry, metric: Metric): Gauge {
  return new Gauge(configOf(registry, metric));
}

/** `collect` is called before a page is made. */
function histogram(registry: Registry, metric: Metric, collect?: () => void): Histogram {
  const buckets = [...(metric.buckets ?? [])];
  return new Histogram({ ...configOf(registry, metric), buckets, ...(collect && { collect }) });
}

function configOf(registry: Registry, metric: Metric) {
  return { name: prometheusName(metric), help: metric.help, labelNames: labelNames(metric), registers: [registry] };
}
