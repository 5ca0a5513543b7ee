// The maxima of the console. Length is UTF-16 code units, Ms is milliseconds, Px are pixels.

/** Conversations that this browser remembers; the oldest goes first. */
export const CONVERSATIONS_MAX = 50;
/** What the list shows of the first message. */
export const TITLE_LENGTH_MAX = 80;
/** What one stored field may be long; anything longer was not written by us. */
export const STORED_LENGTH_MAX = 300_000;

/** Messages of one page of history. */
export const HISTORY_LIMIT = 50;

/** How deep lists, quotes and emphasis may stand in each other; what is deeper is shown as it was written. */
export const MARKDOWN_DEPTH_MAX = 8;
export const LINK_LENGTH_MAX = 2_048;
export const TABLE_COLUMNS_MAX = 64;

/** What a card shows of a value before it cuts, and how many fields and items before it says how many more there are. */
export const VALUE_LENGTH_MAX = 400;
export const FIELDS_MAX = 24;
export const ITEMS_MAX = 100;

/** Rows of the list of frames: their height, and how many are kept beyond what is seen. */
export const FRAME_ROW_PX = 28;
export const FRAME_ROWS_BEYOND = 8;
/** What is shown of one frame's JSON. */
export const FRAME_TEXT_LENGTH_MAX = 20_000;
/** Bars and marks of the timeline. */
export const TIMELINE_ROWS_MAX = 200;

/** How long a request of the console's own may take. */
export const REQUEST_MS_MAX = 10_000;
/** How far from its end a list may be scrolled and still follow what comes. */
export const FOLLOW_PX = 48;
