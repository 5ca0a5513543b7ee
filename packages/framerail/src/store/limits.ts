// The maxima of the store.

/** How often a transaction that the database asks to repeat is repeated. */
export const RETRIES_MAX = 5;
/** Between repeats, times the number of the repeat. */
export const RETRY_DELAY_MS = 10;

/** Connections of one process to a Postgres server. */
export const CONNECTIONS_MAX = 10;
/** A statement that takes longer is ended by the server. */
export const STATEMENT_MS_MAX = 30_000;
export const CONNECT_MS_MAX = 5_000;
/** Texts of statements that a connection keeps parsed and planned. */
export const PREPARED_MAX = 500;
/** Transactions that may wait for the embedded database, or for a connection. */
export const WAITING_MAX = 10_000;

/** Frames of one stored segment, before they are compressed; more than the largest frame. */
export const SEGMENT_BYTES_MAX = 1_048_576;
/** Segments that are read at once. */
export const READ_SEGMENTS_MAX = 8;
/** Rows that one statement of the retention deletes. */
export const RETENTION_ROWS_MAX = 5_000;
/** How long an idempotency key stands for its request. */
export const IDEMPOTENCY_HOURS = 24;

/** Rows that may wait for the journal. */
export const JOURNAL_ROWS_MAX = 10_000;
/** Rows of one commit of the journal. */
export const JOURNAL_BATCH_MAX = 1_000;
/** Before a failed commit of the journal is tried again. */
export const JOURNAL_RETRY_MS = 200;
