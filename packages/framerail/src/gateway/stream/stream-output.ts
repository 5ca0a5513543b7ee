// Where one reader's bytes go. Two ways out of a Node server: straight to the socket of an HTTP/1.1 response that owns it,
// where a segment is sent as the chunk it already is, or through the response, for everything else [D-17].
// Owns: bytes on their way, and how many. Does not own: what is sent and when.
//   O1. A stream that ended says so by the protocol's own end; one that is cut does not: a reader sees the difference [G1].
//   O2. A socket of the response's own is written to below its stream's queue, by the call that the queue itself makes. Nobody
//       else writes while a response streams, so there is nothing to queue behind; the system keeps the order, and what it
//       has not taken is counted here. The queue would cost a frame more than policy, guard and log together.
//   O3. A turn's block is used again when the turn has let go of it. One from which bytes are still to be taken is lent until
//       then, and for good; where it cannot be known, bytes are copied [G7].

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { lendBlock } from "../../log/block-pool.js";
import type { Segment } from "../../log/segment.js";
import { framesOf } from "../../log/segment.js";
import { READER_BYTES_LOW } from "../limits.js";

export interface StreamOutput {
  /** A whole segment. */
  segment(segment: Segment): void;
  /** Anything else, as it stands. */
  text(text: string | Buffer): void;
  /** What was sent and the system has not taken, because the reader does not. */
  readonly waitingBytes: number;
  /** Tells once when little of what waits is left. */
  onDrain(listener: () => void): void;
  /** Ends the stream as the protocol ends one; `onTaken` tells when all of it is on its way, or the reader is gone. */
  end(onTaken: () => void): void;
  /** Breaks the stream off. */
  cut(): void;
}

const LINE_END = Buffer.from("\r\n");
/** What a stream's queue says of bytes; the type has only what text can be in. */
const AS_BYTES = "buffer" as BufferEncoding;

/** The output of a response whose headers have been written; `res.writeHead` must have been called. */
export function openOutput(response: ServerResponse): StreamOutput {
  response.flushHeaders();
  const { socket } = response;
  return socket !== null && ownsSocket(response, socket)
    ? new SocketOutput(response, socket)
    : new ResponseOutput(response);
}

// Chunks may be written past the response only where it is the one that writes, and where chunks are what is expected.
function ownsSocket(response: ServerResponse, socket: Socket): boolean {
  const { req } = response;
  const isChunked = response.chunkedEncoding && req.httpVersion === "1.1" && req.method !== "HEAD";
  // What waits in the response would come after what we write: a pipelined request's response waits for its turn.
  return isChunked && response.writableLength === 0 && socket.writable && !("stream" in response);
}

class SocketOutput implements StreamOutput {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  #waitingBytes = 0;
  #onDrain: (() => void) | undefined;

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response;
    this.#socket = socket;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  segment({ chunks, block }: Segment): void {
    this.#write(chunks);
    // O3
    if (this.#waitingBytes > 0) lendBlock(block);
  }

  text(text: string | Buffer): void {
    const size = Buffer.byteLength(text);
    if (size === 0) return;
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.#write(Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), bytes, LINE_END]));
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(onTaken: () => void): void {
    this.#response.once("close", onTaken);
    // The response writes its own last chunk, and gives the socket back to the server.
    this.#response.end();
  }

  cut(): void {
    // Closing alone leaves what a stalled reader was sent with the system, megabytes of it, for minutes.
    if (this.#waitingBytes === 0) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  // O2
  #write(bytes: Buffer): void {
    const size = bytes.length;
    this.#waitingBytes += size;
    this.#socket._write(bytes, AS_BYTES, (error) => this.#taken(size, error));
  }

  #taken(size: number, error: Error | null | undefined): void {
    this.#waitingBytes -= size;
    // As the stream itself would: whoever serves the connection hears of it.
    if (error) this.#socket.destroy(error);
    else if (this.#onDrain !== undefined && this.#waitingBytes <= READER_BYTES_LOW) {
      const onDrain = this.#onDrain;
      this.#onDrain = undefined;
      onDrain();
    }
  }
}

class ResponseOutput implements StreamOutput {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  segment(segment: Segment): void {
    this.text(framesOf(segment));
  }

  text(text: string | Buffer): void {
    if (text.length === 0 || !this.#response.writable) return;
    // O3
    this.#response.write(typeof text === "string" ? text : Buffer.from(text));
  }

  onDrain(listener: () => void): void {
    this.#response.once("drain", listener);
  }

  end(onTaken: () => void): void {
    // Behind another response on its connection it has not had the chance to be taken: its reader is judged by that one.
    if (this.#response.socket === null) onTaken();
    else this.#response.once("close", onTaken);
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}
