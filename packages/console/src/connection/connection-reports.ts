// What the client tells of each turn's connection, kept for the screen: how often it tried, and why it had to.
//   R1. A turn whose message is still on its way has no id; there is one of those at a time.

import type { ClientReport } from "@framerail/client";

export interface Cut {
  readonly code: string;
  readonly attempt: number;
  readonly retryInMs: number;
}

export interface ConnectionReports {
  take(report: ClientReport): void;
  /** The cut from which the turn has not come back yet. */
  cutOf(turnId: string | undefined): Cut | undefined;
  /** How often the turn was taken up again. */
  resumesOf(turnId: string | undefined): number;
}

/** R1 */
const UNNAMED = "";

export function createConnectionReports(): ConnectionReports {
  const cuts = new Map<string, Cut>();
  const resumes = new Map<string, number>();
  return {
    take(report) {
      const turn = report.turnId ?? UNNAMED;
      if (report.kind === "cut") {
        const { code, attempt, retryInMs } = report;
        cuts.set(turn, { code, attempt, retryInMs });
        return;
      }
      // What follows a reset is told as a resume.
      if (report.kind === "reset") return;
      cuts.delete(turn);
      cuts.delete(UNNAMED);
      resumes.set(turn, (resumes.get(turn) ?? 0) + 1);
    },
    cutOf: (turnId) => cuts.get(turnId ?? UNNAMED),
    resumesOf: (turnId) => resumes.get(turnId ?? UNNAMED) ?? 0,
  };
}
