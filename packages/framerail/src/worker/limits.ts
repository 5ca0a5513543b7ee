// The maxima of loading agents.

/** A type check that takes longer is given up, and the start goes on without it. */
export const TYPE_CHECK_MS_MAX = 60_000;

/** Of a compiler's sentence: types that were written out in it can fill a page. */
export const TYPE_MESSAGE_LENGTH_MAX = 300;
