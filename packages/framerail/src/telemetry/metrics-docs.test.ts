import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { DIMENSIONS } from "./dimensions.js";
import { DIMENSION_SETS_MAX, DIMENSION_VALUES_MAX, WRITES_PER_SAMPLE } from "./limits.js";
import { ALL_METRICS, labelNames, type Metric, prometheusName } from "./metric-catalogue.js";
import { openMetrics, scrape } from "./testing/open-metrics.js";

const read = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const rules = (parse(read("alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

const FUNCTIONS = new Set(["increase", "rate", "sum", "histogram_quantile", "by", "or", "unless", "offset", "le"]);

/** The names of an expression with the labels each is filtered by; times, numbers and texts are left out. */
function namesIn(expr: string): { name: string; labels: Record<string, string> }[] {
  const bare = expr.replace(/\[\w+\]|\boffset \w+/g, " ");
  return [...bare.matchAll(/\b([a-z]\w*)(?:\{([^}]*)\})?/g)]
    .filter(([, name = ""]) => !FUNCTIONS.has(name))
    .filter(({ index }) => !isQuoted(bare, index))
    .map(([, name = "", filter = ""]) => ({
      name,
      labels: Object.fromEntries([...filter.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
    }));
}

const isQuoted = (text: string, index: number) => (text.slice(0, index).split('"').length - 1) % 2 === 1;

test("the page about metrics has a row for each, with both names, its kind and its labels [C-32] [W-MET-11]", () => {
  const rows = read("metrics.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const own = (metric: Metric) => labelNames(metric).filter((name) => !DIMENSIONS.some((one) => one === name));
  expect(rows.map(([, name, prometheus, kind, labels]) => [name, prometheus, kind, labels])).toEqual(
    ALL_METRICS.map((metric) => [
      `\`${metric.name}\``,
      `\`${prometheusName(metric)}\``,
      metric.kind,
      own(metric)
        .map((label) => `\`${label}\``)
        .join(", "),
    ]),
  );
  for (const dimension of DIMENSIONS) expect(read("metrics.md")).toContain(`\`${dimension}\``);
  expect(read("metrics.md")).toContain(`one of ${WRITES_PER_SAMPLE} is timed`);
  expect(read("metrics.md")).toContain(`${DIMENSION_VALUES_MAX} values of each and ${DIMENSION_SETS_MAX} combinations`);
});

test("every alert names metrics, labels and values that are on the page, and says what it means [W-MET-7] [W-NFR-5]", async () => {
  const metrics = openMetrics();
  metrics.turn({}).ttfe(1);
  const meter = metrics.stream();
  meter.oversized();
  for (let started = -1; started === -1; meter.endWrite(started)) started = meter.startWrite();
  const page = await scrape(metrics);
  expect(rules.length).toBeGreaterThan(5);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, expr, labels: ruleLabels, annotations } of rules) {
    const names = namesIn(expr);
    expect(names.length, alert).toBeGreaterThan(0);
    for (const { name, labels } of names)
      expect(page.value(name, labels), `${alert}: ${name} ${JSON.stringify(labels)}`).toBeDefined();
    expect(["warning", "critical"]).toContain(ruleLabels.severity);
    expect(annotations.summary.split(" ").length, alert).toBeGreaterThan(3);
  }
});

test("a dropped frame has an alert of its own, whose condition the page meets with the first drop and not before [W-MET-7] [W-NFR-5]", async () => {
  const rule = rules.find(({ expr }) => expr.includes("stream_sse_frame_dropped_total")) ?? expect.fail("no rule");
  expect(rule.labels.severity).toBe("critical");
  expect(rule.expr).toContain("increase(stream_sse_frame_dropped_total[1h]) > 0");
  // A first drop makes a series that was not there: nothing has increased, so the rule also asks for new series.
  expect(rule.expr).toContain("stream_sse_frame_dropped_total > 0 unless stream_sse_frame_dropped_total offset 1h");
  const metrics = openMetrics();
  const dropping = async () =>
    (await scrape(metrics)).series.filter(({ name, value }) => name === "stream_sse_frame_dropped_total" && value > 0);
  expect(await dropping()).toEqual([]);
  metrics.stream({ vertical: "shop" }).dropped();
  expect(await dropping()).toMatchObject([{ value: 1, labels: { vertical: "shop" } }]);
});
