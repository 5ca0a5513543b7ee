// The maxima of a tool call.

import { FRAME_BYTES_MAX, JSON_DEPTH_MAX } from "@framerail/protocol";

/** How long a call may take unless its tool says otherwise: well below the silence after which a turn is given up. */
export const TOOL_TIMEOUT_MS = 30_000;

/** The longest time a tool may ask for. A turn's own deadline, which may be shorter, holds all the same. */
export const TOOL_TIMEOUT_MS_MAX = 600_000;

/** What a model may pass to a tool, as JSON text. */
export const ARGUMENTS_BYTES_MAX = 262_144;

/** How much of arguments that are no JSON is kept for history. */
export const BROKEN_ARGUMENTS_BYTES_MAX = 4_096;

/** What a tool may give to the model, as JSON text. */
export const RESULT_BYTES_MAX = 1_048_576;

/** Values in a result, before its size is known: a small object that refers to one part a million times ends here. */
export const RESULT_VALUES_MAX = 1_000_000;

/** Nesting of a result; the protocol's own bound for free JSON. */
export const RESULT_DEPTH_MAX = JSON_DEPTH_MAX;

/** Issues of one refused input that the model is told, and the length of each. */
export const ISSUES_MAX = 5;
export const ISSUE_BYTES_MAX = 200;

/** Names of known tools in the answer to an unknown one. */
export const NAMES_TOLD_MAX = 64;

/**
 * What the payload of a frame with data or a component may take. A frame has a maximum [W-NFR-7]; the rest is for its
 * envelope, whose one free part, the turn's id, has at most 256 characters of at most 6 bytes.
 */
export const SHOWN_BYTES_MAX = FRAME_BYTES_MAX - 4_096;

/** The key of a placeholder, out of the same budget. */
export const KEY_BYTES_MAX = 16_384;
