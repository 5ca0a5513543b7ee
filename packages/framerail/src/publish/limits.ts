// The maxima of a published turn.

/** Bytes that may wait for the log before a writer that asks is told to wait. */
export const BACKLOG_BYTES_HIGH = 262_144;

/** A writer that never asks and goes this many times past the mark is a bug, and ends its turn [D-6]. */
export const BACKLOG_FACTOR_MAX = 4;
