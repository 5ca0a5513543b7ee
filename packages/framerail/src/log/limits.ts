// The maxima of the turn log.

/** A turn's frames are written into blocks that grow from one to the other; a tick that is larger gets one of its own. */
export const BLOCK_BYTES_MIN = 512;
export const BLOCK_BYTES_MAX = 65_536;
/** Blocks that wait to be used again, and for how long at least if nobody does. */
export const POOL_BYTES_MAX = 536_870_912;
export const POOL_REST_MS = 10_000;
/** What a turn keeps in memory; older parts are read back from the journal, Redis or the store. */
export const TURN_BYTES_IN_MEMORY_MAX = 262_144;
/** Text that is read from frames becomes a string when so much of it is joined. */
export const TEXT_BYTES_JOINED = 262_144;
/** Bytes of one turn that may wait for a tick before a writer that asks is told to wait for it. */
export const BACKLOG_BYTES_HIGH = 262_144;
/** A tick with so many frames is followed by the next one so much later at the earliest: a write costs far more than a frame. */
export const FRAMES_OF_BUSY_TICK = 256;
export const BUSY_MS_APART = 2;
/** A journal file that has reached this size is followed by another. */
export const JOURNAL_FILE_BYTES_MAX = 16_777_216;
/** Files that wait to be used again. */
export const JOURNAL_SPARES_MAX = 4;
/** One record of the journal; a longer one is not ours. */
export const JOURNAL_RECORD_BYTES_MAX = 16_777_216;
/** Ticks of one turn whose places in the journal are known: far more than may wait for the store, even of the shortest frames. */
export const JOURNAL_PLACES_MAX = 65_536;
/** What one tick of all turns usually brings to the journal; a larger one is put together elsewhere. */
export const JOURNAL_TICK_BYTES = 1_048_576;
/** How long a sealed turn stays in memory for readers that come at its end. */
export const SEALED_MS_IN_MEMORY = 30_000;
