// How stored frames look to one reader: as they are (SSE 0.5), as lines (NDJSON), or in the words of an older version.
// Owns: the three projections and what stands around the frames. Does not own: sockets, when something is sent.
//   W1. SSE of version 0.5 is the stored bytes, untouched. Everything else is made for its reader, from those bytes.
//   W2. An NDJSON line is byte-equal to the `data` of its SSE frame [D-7].

import type { Frame, WireVersion } from "@framerail/protocol";
import {
  encodeNdjson,
  encodeSse,
  encodeSseComment,
  encodeSseRetry,
  NDJSON_HEARTBEAT,
  parseJson,
  projectFrame04,
  readFrame,
  SSE_DONE_FRAME,
  splitSseFrames,
  sseDataStart,
} from "@framerail/protocol";
import { RETRY_MS } from "../limits.js";

export interface WireFormat {
  readonly contentType: string;
  /** The first bytes of a response, before any frame. */
  readonly opening: string;
  readonly heartbeat: string;
  /** After the terminal. */
  readonly closing: string;
  /** Makes the reader's bytes of stored ones; undefined where they are the same (W1). */
  readonly project: ((frames: Buffer) => string) | undefined;
}

const SSE = { contentType: "text/event-stream; charset=utf-8", heartbeat: encodeSseComment(), closing: SSE_DONE_FRAME };
const SSE_OPENING = `${encodeSseComment("ok")}${encodeSseRetry(RETRY_MS)}`;
/** Every stored frame begins with it. */
const ID_FIELD = "id: ";
const NDJSON = {
  contentType: "application/x-ndjson; charset=utf-8",
  opening: "",
  heartbeat: NDJSON_HEARTBEAT,
  closing: "",
};

const FORMATS: Readonly<Record<"sse" | "ndjson", Readonly<Record<WireVersion, WireFormat>>>> = {
  sse: {
    "0.5": { ...SSE, opening: SSE_OPENING, project: undefined },
    "0.4": { ...SSE, opening: SSE_OPENING, project: (frames) => eachFrame(frames, projectSse04) },
  },
  ndjson: {
    "0.5": { ...NDJSON, project: (frames) => eachFrame(frames, (sse) => `${dataOf(sse)}\n`) },
    "0.4": { ...NDJSON, project: (frames) => eachFrame(frames, (sse) => lineOf(project04(sse))) },
  },
};

export function wireFormat(transport: "sse" | "ndjson", version: WireVersion): WireFormat {
  return FORMATS[transport][version];
}

function eachFrame(frames: Buffer, project: (sse: string) => string): string {
  return splitSseFrames(frames.toString("utf8")).map(project).join("");
}

function dataOf(sse: string): string {
  return sse.slice(sseDataStart(sse), -2);
}

function project04(sse: string) {
  const reading = readFrame(parseJson(dataOf(sse)));
  return reading.kind === "frame" ? projectFrame04(reading.frame satisfies Frame) : undefined;
}

function lineOf(frame: object | undefined): string {
  return frame === undefined ? "" : encodeNdjson(JSON.stringify(frame));
}

function projectSse04(sse: string): string {
  const frame = project04(sse);
  if (frame === undefined) return "";
  const id = sse.slice(ID_FIELD.length, sse.indexOf("\n"));
  return encodeSse({ id, event: frame.event_type, data: JSON.stringify(frame) });
}
