// The maxima of the turn log on Redis: waits, retries, and what is held meanwhile.

/** One append call; after that its answer counts as lost, and the call is repeated on a new connection. */
export const APPEND_MS_MAX = 2_000;
/** One look at the log for a reader. */
export const READ_MS_MAX = 5_000;
export const CONNECT_MS_MAX = 2_000;
/** A connection that is given up is closed politely for so long. */
export const DISCONNECT_MS_MAX = 200;
/** The pause before a repetition doubles from the first to the second. */
export const RETRY_MS_MIN = 20;
export const RETRY_MS_MAX = 1_000;
/** How long a turn's frames wait for a log that is away, from its first failure; then the turn fails. */
export const AWAY_MS_MAX = 30_000;
/** When a store that could not say whose turn it is, is asked again; for AWAY_MS_MAX at most. */
export const CONFIRM_AGAIN_MS = 250;

/** Calls begin so far apart at least: a call costs far more than a frame in it, and nobody sees four milliseconds. */
export const BEAT_MS = 4;
/** A call that is full is followed by the next; Redis serves nobody else while it works on one. */
export const CALL_TURNS_MAX = 512;
export const CALL_BYTES_MAX = 4_194_304;
/** What may wait of one turn before its writer is told to wait, and before the turn fails. */
export const WAITING_BYTES_HIGH = 262_144;
export const WAITING_BYTES_MAX = 4_194_304;
/** What the owner keeps for a Redis that comes back empty: of one turn, and of all. A turn above it cannot be restored. */
export const KEPT_TURN_BYTES_MAX = 8_388_608;
export const KEPT_BYTES_MAX = 268_435_456;

/** How long a turn stays in Redis after its end [D-19]. */
export const SEALED_MS_IN_REDIS = 600_000;
/** How long a turn stays that nobody ever ended. */
export const OPEN_MS_IN_REDIS = 86_400_000;

export const FOLLOWED_TURNS_MAX = 10_000;
/** A read that finds nothing new ends after this, so that a turn is followed so much later at worst. */
export const FOLLOW_BLOCK_MS = 1_000;
/** A frame that another process released is heard of so much later at most, while Redis answers at all. */
export const FOLLOW_LAG_MS_MAX = FOLLOW_BLOCK_MS + READ_MS_MAX;
/** Entries of one turn in one answer. */
export const FOLLOW_ENTRIES_MAX = 16;
/** How often it is looked whether the turns that are followed are still there. */
export const FOLLOW_CHECK_MS = 5_000;
/** A turn that was missing so many times in a row is lost: its owner would have restored it. */
export const FOLLOW_MISSES_MAX = 2;
export const WAKE_MS_IN_REDIS = 60_000;
/** Entries that are read back at a time. */
export const READ_BACK_ENTRIES_MAX = 64;

/** Turns of which it is remembered that the store has them; the oldest are asked for in Redis again. */
export const FORGOTTEN_TURNS_MAX = 10_000;
/** What waits is written before the log closes, if that can be done in this time. */
export const CLOSE_MS_MAX = 5_000;
