// The maxima and the timing of status frames. The timing is for tuning: every number has a default that works, and a
// range that is checked when a policy is made [W-GAP-1].

import { FramerailError } from "@framerail/protocol";

/** One rendered status, in UTF-8 bytes. A line of progress that needs more is no line. */
export const STATUS_MESSAGE_BYTES_MAX = 1_024;

/** One text that fills a placeholder, in UTF-16 code units. */
export const STATUS_VALUE_LENGTH_MAX = 200;

/** Statuses of one turn that wait in open windows; one more closes the windows early. */
export const PENDING_STATUSES_MAX = 16;

/** The longest window: a status that is later than this tells the reader about the past. */
export const WINDOW_MS_MAX = 5_000;

/** The longest time in which a repeated status is swallowed. */
export const COLLAPSE_MS_MAX = 10_000;

/** The most status frames per second that can be configured; nobody reads faster. */
export const STATUSES_PER_SECOND_MAX = 100;

/** Languages that are looked at in one wish; browsers send fewer than ten. */
export const WANTED_LOCALES_MAX = 32;

/** Characters that are looked at in one wish. */
export const WANTED_LENGTH_MAX = 1_024;

export interface StatusTiming {
  /** How long a batch waits for more, where neither the registry nor the cohort says. */
  readonly windowMs: number;
  /** A status that says again what was shown this recently is not repeated. */
  readonly collapseMs: number;
  /** Status frames of one turn in any second; what waits at the end of a turn, two at most, may go beyond. */
  readonly statusesPerSecond: number;
}

export const DEFAULT_TIMING: StatusTiming = { windowMs: 150, collapseMs: 250, statusesPerSecond: 5 };

const RANGES: { readonly [K in keyof StatusTiming]: readonly [number, number] } = {
  windowMs: [1, WINDOW_MS_MAX],
  collapseMs: [0, COLLAPSE_MS_MAX],
  statusesPerSecond: [1, STATUSES_PER_SECOND_MAX],
};

export function resolveTiming(given: Partial<StatusTiming> = {}): StatusTiming {
  const timing = { ...DEFAULT_TIMING, ...given };
  for (const name of Object.keys(timing)) {
    if (!Object.hasOwn(RANGES, name)) throw new FramerailError("INVALID_ARGUMENT", `there is no limit called ${name}`);
    const [min, max] = RANGES[name as keyof StatusTiming];
    requireWhole(name, timing[name as keyof StatusTiming], min, max);
  }
  return timing;
}

export function isWindowMs(value: unknown): value is number {
  return isWholeWithin(value, 1, WINDOW_MS_MAX);
}

function isWholeWithin(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function requireWhole(name: string, value: unknown, min: number, max: number): void {
  if (isWholeWithin(value, min, max)) return;
  throw new FramerailError("INVALID_ARGUMENT", `${name} must be a whole number from ${min} to ${max}`);
}
