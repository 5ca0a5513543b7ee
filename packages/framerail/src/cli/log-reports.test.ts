import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createLogger } from "../telemetry/logger.js";
import type { ReportDetails } from "./log-reports.js";
import { logReports } from "./log-reports.js";

function linesOf(what: string, details: ReportDetails): unknown[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ destination, clock: systemClock, level: "debug" });
  logReports(logger)(what, details);
  return lines.map((line) => JSON.parse(line));
}

test("an event that was on its way when its turn was cancelled is no warning, and is told with its type [C-23]", () => {
  const report = { kind: "late", event_type: "text", emitter: "shop" } as const;
  expect(linesOf("published", { turnId: "t1", report })).toMatchObject([
    { level: "info", turn_id: "t1", event_type: "text", emitter: "shop" },
  ]);
});

test("what a turn does wrong is an error that says what it was", () => {
  const error = new RangeError("too far");
  expect(
    linesOf("published", { turnId: "t1", report: { kind: "violation", message: "text came twice" } }),
  ).toMatchObject([{ level: "error", turn_id: "t1", reason: "text came twice" }]);
  expect(linesOf("published", { turnId: "t1", report: { kind: "pace_exceeded" } })).toMatchObject([
    { level: "error", turn_id: "t1" },
  ]);
  expect(linesOf("published", { report: { kind: "tap_failed", event_type: "text", error } })).toMatchObject([
    { level: "error", event_type: "text" },
  ]);
});

test("a status id that is not registered is told elsewhere, and once", () => {
  const event = { type: "status", event_id: "humming" } as const;
  const report = { kind: "policy", event, emitter: "shop", decision: "suppress" } as const;
  expect(linesOf("published", { report: { ...report, unregistered: true } })).toEqual([]);
});

test("what policy decides by its table is its daily work, and told to who asks for all of it", () => {
  const report = { kind: "policy", event: { type: "thinking" }, emitter: "shop" } as const;
  expect(linesOf("published", { report: { ...report, decision: "suppress" } })).toMatchObject([
    { level: "debug", event_type: "thinking", emitter: "shop", reason: "suppress" },
  ]);
});

test("whatever else is reported is a warning with its turn and its error", () => {
  expect(linesOf("seal_failed", { turnId: "t1", error: new Error("away") })).toMatchObject([
    { level: "warn", message: "seal_failed", turn_id: "t1" },
  ]);
});

test("a sentence that could not be filled is a warning that names it", () => {
  const error = new Error("no title");
  expect(linesOf("status_unfilled", { reason: "status.reading in en", error })).toMatchObject([
    { level: "warn", message: "status_unfilled", reason: "status.reading in en", error: { message: "no title" } },
  ]);
});
