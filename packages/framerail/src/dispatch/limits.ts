// The waits of a running turn.

/** How long a turn that has ended waits for the accounting of what it cut off [C-21]. */
export const SETTLE_MS_MAX = 500;

/** How long one step of an agent may take [D-19]. */
export const STEP_DEADLINE_MS = 120_000;
