// Every maximum of the protocol, in one place. A queue, a buffer, a retry or a wait that is not bounded by a name of
// this file (or of a package's own limits file) is a defect.
//
// Units are in the name: Bytes are UTF-8 bytes, Length is UTF-16 code units, Ms is milliseconds.

/** One encoded frame: the JSON on an SSE `data:` line or an NDJSON line [W-NFR-7, W-GAP-5]. */
export const FRAME_BYTES_MAX = 262_144;

/**
 * The largest piece of text put into one `text` or `reasoning` frame; longer text is split [C-18]. A frame has room for six
 * times as much: what JSON makes of control characters.
 */
export const TEXT_CHUNK_BYTES_MAX = 40_960;

/** What a decoder holds for one SSE event or one NDJSON line before it gives up. Readers are more generous than writers. */
export const DECODED_BYTES_MAX = 1_048_576;

/** The largest maximum a decoder can be given: far below the longest string of any engine. */
export const DECODED_BYTES_CEILING = 268_435_456;

/** An SSE comment: a sign of life or a note to a person with a terminal, never a payload. */
export const COMMENT_LENGTH_MAX = 1_024;

/** Nesting of free JSON inside frames, events and messages. */
export const JSON_DEPTH_MAX = 128;

/** Nesting of a whole JSON text: free JSON at its deepest, and the frame, message or list of them that stands around it. */
export const PARSED_DEPTH_MAX = 160;

/** Ids that come from outside: tool calls, items, sessions. */
export const ID_LENGTH_MAX = 1_024;

/** Names and codes that we, or an operator, wrote: tool names, agent ids, status ids. */
export const NAME_LENGTH_MAX = 256;

/** Tool calls of one turn that may be open at the same time. */
export const OPEN_TOOLS_MAX = 1_024;

/** After a terminal, how many further messages of a producer are looked at, so that they can be reported. */
export const LATE_MESSAGES_MAX = 16;

/** After a terminal, how long the producer may keep us looking. */
export const LATE_WAIT_MS_MAX = 1_000;

/** Universal envelope: `channel` [E-5]. */
export const ENVELOPE_CHANNEL_BYTES_MAX = 128;

/** Universal envelope: `text` [E-7]. */
export const ENVELOPE_TEXT_BYTES_MAX = 65_536;

/** Universal envelope: `message` [E-9]; also every message shown to a client [C-17]. */
export const ENVELOPE_MESSAGE_BYTES_MAX = 4_096;

/** Universal envelope: compact JSON of `data` [E-12, E-28]. */
export const ENVELOPE_DATA_BYTES_MAX = 65_536;
