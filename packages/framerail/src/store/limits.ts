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
/** Transactions of the embedded database after which its plans are made anew. */
export const PLANS_TRANSACTIONS_MAX = 100;
/** Transactions that may wait for the embedded database, or for a connection. */
export const WAITING_MAX = 10_000;

/** Frames of one stored segment, before they are compressed; more than the largest frame. */
export const SEGMENT_BYTES_MAX = 1_048_576;
/** Segments that are put together and compressed at the same time: as many as there are threads for it. */
export const PACKED_AT_ONCE_MAX = 4;
/** Pieces of running turns that one statement stores, and how long after the last one it begins. */
export const PIECES_STORED_AT_ONCE_MAX = 16;
export const PIECES_MS_APART = 20;
/** Segments that are read at once. */
export const READ_SEGMENTS_MAX = 8;
/** Rows that one statement of the retention deletes. */
export const RETENTION_ROWS_MAX = 5_000;
/** How long an idempotency key stands for its request. */
export const IDEMPOTENCY_HOURS = 24;

/** Rows that may wait for the journal. */
export const JOURNAL_ROWS_MAX = 10_000;
/** What they may weigh together, in characters of JSON. */
export const JOURNAL_LENGTH_MAX = 67_108_864;
/** Rows of one commit of the journal. */
export const JOURNAL_BATCH_MAX = 500;
/** A commit has no further row once it weighs this. */
export const JOURNAL_BATCH_LENGTH_MAX = 8_388_608;
/** Before a failed commit of the journal is tried again. */
export const JOURNAL_RETRY_MS = 200;
/** How often what is left is tried once the journal is closed: ten seconds of a database that is away. */
export const JOURNAL_CLOSE_TRIES_MAX = 50;
