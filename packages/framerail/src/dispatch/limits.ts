// The waits of a running turn.

/** How long a turn that has ended waits for the accounting of what it cut off [C-21]. */
export const SETTLE_MS_MAX = 500;

/** How long one step of an agent may take [D-19]. */
export const STEP_DEADLINE_MS = 120_000;

/** Content of one answer, in units of text or of JSON: with every unit escaped it is still less than a stored document may be. */
export const ANSWER_LENGTH_MAX = 8_388_608;

/** Frames that a long turn holds before they are stored as a piece. */
export const PIECE_BYTES = 524_288;
/** The first piece is between this and a whole one. */
export const FIRST_PIECE_BYTES_MIN = 131_072;
/** Between tries to store one. */
export const PIECE_RETRY_MS = 250;
/** Frames of a turn that may wait for the store before its writer is held back [D-6]. */
export const UNSTORED_BYTES_HIGH = 8 * PIECE_BYTES;

/** How long the end of a turn is tried to be stored before its readers are cut; it is sealed when the store is back [D-4]. */
export const COMMIT_MS_MAX = 60_000;
export const COMMIT_RETRY_MS = 250;

/** How long an agent may be silent before its turn is cancelled [D-19]. */
export const IDLE_MS = 60_000;

/** A process that says nothing for this long is dead, by the database's clock; it says something every LEASE_RENEW_MS [D-3]. */
export const LEASE_MS = 3_000;
export const LEASE_RENEW_MS = 1_000;
/** Turns of dead processes that are taken over at once. */
export const ORPHANS_MAX = 64;
/** How long it is looked whether a dead process told the last ends that it stored, and how many of each. */
export const GONE_MS_MAX = 30_000;
export const LAST_ENDS_MAX = 1_024;

/** Readers of a turn that another process owns are announced this often, and believed for PRESENCE_MS_TTL [D-9]. */
export const PRESENCE_MS = 2_000;
export const PRESENCE_MS_TTL = 5_000;
/** How long a caller whose turn has begun may take to begin to read it. */
export const FIRST_READER_MS = 2_000;
/** After which a turn that is read elsewhere is looked at again. */
export const READ_ELSEWHERE_MS = 1_000;

/** How long a process that stops lets its turns go on [D-19]. */
export const DRAIN_MS = 30_000;

/** How long a request waits for the same one, sent before, to be accepted or refused, and how often it looks. */
export const CLAIM_MS_MAX = 6_000;
export const CLAIM_AGAIN_MS = 50;

/** How long a cancel waits for the turn's end, and how often the owner is asked again meanwhile. */
export const CANCEL_MS_MAX = 10_000;
export const CANCEL_AGAIN_MS = 500;

/** Frames and journals of ended turns are kept this long [D-19]; looked after every CHORES_MS. */
export const RETENTION_HOURS = 24;
export const CHORES_MS = 60_000;
