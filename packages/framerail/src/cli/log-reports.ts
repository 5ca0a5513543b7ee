// What the parts of a process report, as lines for its operators.

import { unreachable } from "@framerail/protocol";
import type { PublishReport } from "../publish/publish-turn.js";
import type { LogFields } from "../telemetry/log-fields.js";
import type { Logger } from "../telemetry/logger.js";

export interface ReportDetails {
  readonly turnId?: string;
  readonly error?: unknown;
  readonly reason?: string;
  /** Of a turn on its way out. */
  readonly report?: PublishReport;
}

export function logReports(logger: Logger): (what: string, details: ReportDetails) => void {
  return (what, { turnId, error, reason, report }) => {
    const fields: LogFields = { turn_id: turnId, reason };
    if (report === undefined) logger.warn(what, fields, error);
    else logPublished(logger, report, fields);
  };
}

function logPublished(logger: Logger, report: PublishReport, turn: LogFields): void {
  switch (report.kind) {
    // What was on its way when a turn was cancelled comes after its end: no fault of anybody's.
    case "late":
      logger.info("an event came after its turn's end", {
        ...turn,
        event_type: report.event_type,
        emitter: report.emitter,
      });
      return;
    case "policy":
      // An id that is not registered has a line of its own (observe-turns.ts). All else is what policy is there for.
      if (report.unregistered) return;
      logger.debug("policy decided about an event", {
        ...turn,
        event_type: report.event.type,
        emitter: report.emitter,
        reason: report.decision,
      });
      return;
    case "violation":
      logger.error("a turn broke the order of its frames", { ...turn, reason: report.message });
      return;
    case "pace_exceeded":
      logger.error("an agent wrote faster than its turn is logged and stored, and did not wait", turn);
      return;
    case "tap_failed":
      logger.error("what listens to a turn failed", { ...turn, event_type: report.event_type }, report.error);
      return;
    default:
      unreachable(report);
  }
}
