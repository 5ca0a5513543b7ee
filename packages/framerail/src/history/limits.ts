// The maxima of reading a history.

/** Messages of one page, when nobody says how many [P-42]. */
export const HISTORY_LIMIT_DEFAULT = 10;
export const HISTORY_LIMIT_MAX = 100;

/** Messages that a turn is told of, when nobody says how many, and at most. */
export const CONTEXT_MESSAGES_DEFAULT = 100;
export const CONTEXT_MESSAGES_MAX = 1_000;
/** Messages that are read at a time on the way there. */
export const CONTEXT_PAGE_MAX = 100;
