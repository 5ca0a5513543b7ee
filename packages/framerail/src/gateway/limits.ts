// The maxima and waits of the edge.

/** What may wait in one reader's socket; past that it gets no more until it has taken some. The system keeps more beside it. */
export const READER_BYTES_MAX = 131_072;
/** It has taken some when no more than this waits. */
export const READER_BYTES_LOW = READER_BYTES_MAX / 2;
/** What is read back from behind memory is sent in pieces of about this length, for as long as there is room. */
export const BACK_LENGTH = 65_536;
/** How long a reader may stay above its maximum before it is cut; its cursor is as good as before. */
export const DRAIN_MS_MAX = 30_000;
/** Between two signs of life on a silent stream [D-19]. */
export const HEARTBEAT_MS = 15_000;
/** What a reader is told to wait before it connects again. */
export const RETRY_MS = 1_000;
/** A cursor is a turn, an epoch and a number. */
export const CURSOR_LENGTH_MAX = 128;

/** A turn that is on its way, or between two owners, is looked for this long, and this often [D-3]. */
export const ATTACH_MS_MAX = 6_000;
export const ATTACH_AGAIN_MS = 50;

/** What a request may bring. */
export const BODY_BYTES_MAX = 1_048_576;
export const MESSAGE_LENGTH_MAX = 262_144;
export const HEADERS_BYTES_MAX = 16_384;
export const PATH_LENGTH_MAX = 2_048;
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
export const LOCALE_LENGTH_MAX = 256;
/** What a session's metadata may weigh as JSON. */
export const METADATA_LENGTH_MAX = 16_384;

/** How long a turn that nobody reads may be asked to go on before it is cancelled, and what it is when nobody says [D-9]. */
export const GRACE_MS_MAX = 3_600_000;
export const GRACE_MS = 10_000;

/** Longer than any turn may take; a timer that is asked for more than 24 days does not wait at all. */
export const TURN_MS_MAX = 86_400_000;

/** Connections of one process, and how long one may take to send its head and its request, or stay without one. */
export const CONNECTIONS_MAX = 50_000;
export const HEAD_MS_MAX = 10_000;
export const REQUEST_MS_MAX = 30_000;
export const KEEP_ALIVE_MS = 620_000;
/** How often the server looks for those that took too long, and how long one that was refused is read on. */
export const CONNECTIONS_CHECK_MS = 2_000;
export const LINGER_MS = 1_000;

/** Files of the console, all of them in memory. */
export const CONSOLE_FILES_MAX = 256;

/** What `Retry-After` says when this process cannot answer now. */
export const RETRY_AFTER_S = 1;
