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
/** Transactions that may wait for the embedded database, or for a connection. */
export const WAITING_MAX = 10_000;
