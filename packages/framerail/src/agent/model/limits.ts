// The maxima of a model call and of a script. Length is UTF-16 code units, Ms is milliseconds.

/** Models of one node: the first and those asked when it fails. */
export const MODELS_MAX = 8;

/** A model's id goes into the metrics event, which takes no longer name. */
export const MODEL_ID_LENGTH_MAX = 256;

/** Text and reasoning of one call, together. */
export const STEP_TEXT_LENGTH_MAX = 4_194_304;

/** Tool calls of one call. */
export const STEP_TOOL_CALLS_MAX = 128;

/** Tool arguments of one call, all its tool calls together, as text. */
export const STEP_ARGUMENTS_LENGTH_MAX = 1_048_576;

/** As the events of a tool take them. */
export const TOOL_ID_LENGTH_MAX = 1_024;
export const TOOL_NAME_LENGTH_MAX = 256;

/** How much may be written between two looks at `writer.ready()`: far below the backlog that fails a turn [D-6]. */
export const PACE_LENGTH_MAX = 32_768;

/** What a written piece weighs beyond its own length: its envelope. Makes about 120 small tokens one look. */
export const PACE_PIECE_LENGTH = 256;

/** The longest piece written at once; a longer delta is written in several, with a look at the pace in between. */
export const PIECE_LENGTH_MAX = 16_384;

/** How often a call that goes on is heard of at least: well below the silence after which a turn is given up. */
export const PROGRESS_MS = 15_000;

/** After a finish, what is still read so that the provider's connection can be used again. */
export const DRAIN_PARTS_MAX = 16;
export const DRAIN_MS_MAX = 1_000;

/** How far the causes of a provider's error are followed to find out that it was a rate limit. */
export const CAUSE_DEPTH_MAX = 4;

/** A script file, in UTF-8 bytes, and its steps. */
export const SCRIPT_BYTES_MAX = 262_144;
export const SCRIPT_STEPS_MAX = 256;

/** What a call is expected to answer with at most, for its budget, where the author has set no maximum. */
export const OUTPUT_TOKENS_EXPECTED = 4_096;
