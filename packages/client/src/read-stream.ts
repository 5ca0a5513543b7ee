// A streaming answer as texts of frames, by either transport, each as soon as it is whole.
// Owns: decoding the body, letting it go. Does not own: what the texts mean (read-wire.ts), how long silence may last.
//   R1. Every byte is a sign of life, also one of a comment or an empty line.
//   R2. When the taker has had enough, nothing more is read and the connection is given back.

import { createNdjsonDecoder, createSseDecoder, FramerailError, SSE_DONE } from "@framerail/protocol";
import { networkError } from "./api.js";
import { leaveBody, readPieces } from "./read-body.js";

export type Transport = "sse" | "ndjson";

export const CONTENT_TYPES: Readonly<Record<Transport, string>> = {
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
};

export interface ReadStreamOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** Bytes have come. */
  onBytes(): void;
  /** The frame as JSON text, and its cursor, which NDJSON does not have. False: that was enough. */
  onFrame(text: string, cursor: string | undefined): boolean;
  /** All frames of a piece have been handed over. */
  onPiece(): void;
  /** The server's `retry:`. */
  onRetry(ms: number): void;
}

/** Throws, and lets the answer go, when it is something else: a proxy's page, for instance. */
export function requireStream(response: Response, transport: Transport): void {
  const type = response.headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() === CONTENT_TYPES[transport]) return;
  leaveBody(response);
  throw new FramerailError("UPSTREAM_FAILED", "the answer is no stream of frames");
}

/** Reads to the end, or until the taker has enough. Throws what broke the stream; a cut event or line is dropped. */
export async function readStream(response: Response, options: ReadStreamOptions): Promise<void> {
  const { transport, signal, onBytes, onPiece } = options;
  let enough = false;
  const take = (text: string, cursor: string | undefined) => {
    if (!enough) enough = !options.onFrame(text, cursor);
  };
  const decoder =
    transport === "sse" ? sseDecoder(take, options) : createNdjsonDecoder({ onLine: (line) => take(line, undefined) });
  const pieces = readPieces(response, signal);
  try {
    for await (const piece of pieces) {
      onBytes();
      try {
        decoder.push(piece);
      } finally {
        onPiece();
      }
      if (enough) return;
    }
  } catch (error) {
    throw networkError(error);
  }
}

function sseDecoder(take: (text: string, cursor: string | undefined) => void, { onRetry }: ReadStreamOptions) {
  return createSseDecoder({
    onEvent({ id, data }) {
      if (data !== SSE_DONE) take(data, id === "" ? undefined : id);
    },
    onRetry,
  });
}
