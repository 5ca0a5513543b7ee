// The waits of a running turn.

/** How long a turn that has ended waits for the accounting of what it cut off [C-21]. */
export const SETTLE_MS_MAX = 500;

/** How long one step of an agent may take [D-19]. */
export const STEP_DEADLINE_MS = 120_000;

/** Frames that a long turn holds before they are stored as a piece. */
export const PIECE_BYTES = 524_288;

/** How long the end of a turn is tried to be stored before its readers are cut; it is sealed when the store is back [D-4]. */
export const COMMIT_MS_MAX = 60_000;
export const COMMIT_RETRY_MS = 250;
