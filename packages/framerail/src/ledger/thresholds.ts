// How full a budget is, and which marks are worth a word [R-6-7].

import type { ActionType } from "../store/audit.js";

export interface Threshold {
  readonly percent: number;
  readonly actionType: ActionType;
}

const THRESHOLDS: readonly Threshold[] = [
  { percent: 70, actionType: "budget_warning" },
  { percent: 90, actionType: "budget_critical" },
  { percent: 100, actionType: "budget_exhausted" },
];

interface Level {
  readonly settledTokens: number;
  readonly tokenLimit: number;
}

/** The marks that are reached and were not audited before, the lowest first. */
export function thresholdsReached(level: Level, auditedPercent: number): readonly Threshold[] {
  return THRESHOLDS.filter(({ percent }) => percent > auditedPercent && reaches(level, percent));
}

export function isSpent(level: Level): boolean {
  return reaches(level, 100);
}

// Whole numbers throughout: a fraction would be wrong by a token where it matters.
function reaches({ settledTokens, tokenLimit }: Level, percent: number): boolean {
  return BigInt(settledTokens) * 100n >= BigInt(tokenLimit) * BigInt(percent);
}
