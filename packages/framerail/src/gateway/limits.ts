// The maxima and waits of the edge.

/** What may wait in one reader's socket; past that it gets no more until it has taken some. */
export const READER_BYTES_MAX = 262_144;
/** How long a reader may stay above its maximum before it is cut; its cursor is as good as before. */
export const DRAIN_MS_MAX = 30_000;
/** Between two signs of life on a silent stream [D-19]. */
export const HEARTBEAT_MS = 15_000;
/** What a reader is told to wait before it connects again. */
export const RETRY_MS = 1_000;
/** A cursor is a turn, an epoch and a number. */
export const CURSOR_LENGTH_MAX = 128;
