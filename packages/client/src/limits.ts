// The maxima and waits of the client. Ms is milliseconds, Bytes are bytes, Length is UTF-16 code units.

/** A connection that says nothing for so long is taken for dead: two and a half of the server's heartbeats of 15 s. */
export const SILENCE_MS_MAX = 37_500;

/** How long a request that is no stream may take, its answer included. */
export const REQUEST_MS_MAX = 30_000;

/** Attempts in a row that brought nothing new before the client gives up. A session or a frame, and the count begins again. */
export const ATTEMPTS_MAX = 12;

/** The first wait before another attempt, unless the server names one (`retry:`); it doubles up to the maximum. */
export const RETRY_MS = 1_000;
export const RETRY_MS_MIN = 50;
export const RETRY_MS_MAX = 30_000;

/** How long a `Retry-After` can make us wait. */
export const RETRY_AFTER_MS_MAX = 60_000;

/** How often one turn may begin again from its first frame. */
export const RESETS_MAX = 3;

/** How long a page may be hidden before its connections are given back. */
export const HIDDEN_MS_MAX = 60_000;

/** What an answer that is no stream may weigh. */
export const ANSWER_BYTES_MAX = 16_777_216;

/** What the frames of one turn may weigh together, as JSON: all of them are kept, for readers that begin later. */
export const TURN_LENGTH_MAX = 67_108_864;

/** Without animation frames, the least time between two renders. */
export const RENDER_MS_MIN = 16;
