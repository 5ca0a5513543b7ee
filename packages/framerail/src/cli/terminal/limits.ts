// The maxima and widths of the terminal commands. Ms is milliseconds, Length is UTF-16 code units, Columns are cells.

/** What an escape sequence may be long before its rest is shown as the text it is. */
export const SEQUENCE_LENGTH_MAX = 4_096;

/** A terminal that does not tell its width has this one. */
export const COLUMNS = 80;

/** Where nothing is cut to a screen: how long a line about one frame may be. */
export const FRAME_LINE_COLUMNS = 160;

/** Messages that were typed or piped in and wait for their turn. */
export const LINES_WAITING_MAX = 1_000;

/** Lines that the arrow keys bring back. */
export const HISTORY_LINES_MAX = 200;

/** The longest pause of a replay, at speed 1. A longer one of the turn is played as this. */
export const REPLAY_GAP_MS_MAX = 5_000;

/** How many times as fast a replay may be; `max` is past it. */
export const REPLAY_SPEED_MAX = 1_000;
