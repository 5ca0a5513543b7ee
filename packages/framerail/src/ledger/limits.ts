// The maxima of the ledger.

/** An agent's state at one checkpoint, as it comes from the worker. */
export const CHECKPOINT_STATE_BYTES_MAX = 8_388_608;

/** Of an answer's text, what its audit row keeps. */
export const FINAL_RESPONSE_BYTES_MAX = 65_536;

/** Audit rows that may wait before a caller that asks is told to wait. */
export const AUDIT_QUEUE_HIGH = 4_096;
/** A caller that never asks is refused here: a queue that grows on is a bug of its caller. */
export const AUDIT_QUEUE_MAX = 4 * AUDIT_QUEUE_HIGH;
/** Rows of one tenant that are written in one transaction. */
export const AUDIT_BATCH_MAX = 500;
/** How often rows are tried that the database did not take for reasons of its own. */
export const AUDIT_TRIES_MAX = 5;
/** Between tries, times the number of the try. */
export const AUDIT_RETRY_MS = 200;

/** How old a cached budget may be [R-6-8]. */
export const BUDGET_REFRESH_MS = 30_000;
/** Budgets that are cached, by tenant and agent; the one that was asked for longest ago goes first. */
export const BUDGET_CACHE_MAX = 10_000;

/** How long a call waits while others hold what is left of a budget [D-16]. */
export const RESERVE_WAIT_MS_MAX = 5_000;
/** Between looks. */
export const RESERVE_RETRY_MS = 250;
