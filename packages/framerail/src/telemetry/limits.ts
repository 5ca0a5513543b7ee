// The maxima of metrics and logs. What goes past one is folded into "other", cut or counted, never refused: telling must
// not cost the turn that is told about.

/** Values of one slicing dimension that are told apart; the rest are "other". */
export const DIMENSION_VALUES_MAX = 64;
/** Combinations of the five dimensions that are told apart; the rest are "other" in all five. */
export const DIMENSION_SETS_MAX = 128;
/** Status ids that are told apart. */
export const STATUS_IDS_MAX = 512;
/** Routes that are told apart. */
export const ROUTES_MAX = 128;
/** One label value; longer ones are "other". */
export const LABEL_LENGTH_MAX = 256;

/** What is written of the page before frames may pass: making a page takes longer than a frame may wait. */
export const PAGE_PIECE_LENGTH = 65_536;

/** Of so many writes one is timed. A prime, so that no rhythm of an agent keeps step with it. */
export const WRITES_PER_SAMPLE = 127;

/** Times of one kind that wait to be counted together. */
export const OBSERVATIONS_WAITING_MAX = 256;

/** How far apart the delay of the event loop is looked at. Every look wakes the process, also one that has nothing to do. */
export const LOOP_SAMPLE_MS = 100;

/** One field of a log line. */
export const FIELD_LENGTH_MAX = 256;
/** The message of a line or of an error. */
export const MESSAGE_LENGTH_MAX = 2_048;
/** The stack of an error. */
export const STACK_LENGTH_MAX = 8_192;
/** What is read of a text before it is masked and cut: more than any of the above, so that no cut shows half a secret. */
export const MASKED_LENGTH_MAX = 16_384;
/** An error, its cause, and the cause of that. */
export const CAUSES_MAX = 3;

/** Warnings and errors that say the same, written in one window; the rest are counted, and the count is told at its end. */
export const REPEATS_MAX = 5;
export const REPEAT_WINDOW_MS = 10_000;
/** Sayings that are told apart in one window; the rest are one. */
export const SAYINGS_MAX = 256;
