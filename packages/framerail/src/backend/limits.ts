// The maxima of agents we did not write. What they send is bounded here, at the border, and not trusted further in.

/** How long an upstream service may be silent before its turn is cancelled [D-19]. */
export const UPSTREAM_IDLE_MS = 60_000;

/**
 * The longest silence that can be allowed; beyond it a timer of the platform overflows and fires at once. A turn's own deadline,
 * which is shorter, holds all the same.
 */
export const UPSTREAM_IDLE_MS_MAX = 2_147_483_647;

/** Tool calls of one turn that may be open at the same time. */
export const OPEN_CALLS_MAX = 1_024;

/** Tool calls that one turn may make, with those that have ended: their ids are kept, so that none is used twice. */
export const CALLS_PER_TURN_MAX = 4_096;

/** Messages of a graph that may be in the middle of their stream at the same time. */
export const OPEN_MESSAGES_MAX = 256;

/** Characters of a graph's message that are kept until its node has ended, to know a copy by; a longer one has none. */
export const COPY_LENGTH_MAX = 262_144;

/** Characters of the arguments of one message's calls, streamed in pieces. */
export const ARGUMENTS_LENGTH_MAX = 1_048_576;

/** Lines for operators about things ignored, per turn. What floods a turn must not flood its log. */
export const NOTICES_MAX = 16;
