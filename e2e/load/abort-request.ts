// A caller that leaves without a word: it writes a request on a socket, or a part of one, and breaks the connection off at
// a byte of its choice.

import { connect } from "node:net";

export interface AbortPlan {
  readonly port: number;
  readonly request: string;
  /** How much of the request is written before it leaves; all of it when it waits for an answer. */
  readonly sends: number;
  /** Leaves when so many bytes of the answer have come; 0: as soon as it has written. */
  readonly reads: number;
  /** With a reset instead of an end. */
  readonly resets: boolean;
}

export interface Aborted {
  /** When it left, on this process's clock. */
  readonly at: number;
  /** What had come by then. */
  readonly received: number;
  /** The head of the answer, as far as it came. */
  readonly head: string;
}

const HEAD_LENGTH_MAX = 2_048;
/** A stream that is over, or says nothing, before the byte it is left at. */
const WAIT_MS_MAX = 20_000;

export function abortRequest({ port, request, sends, reads, resets }: AbortPlan): Promise<Aborted> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let received = 0;
    let head = "";
    const leave = () => {
      clearTimeout(patience);
      const at = performance.now();
      if (resets) socket.resetAndDestroy();
      else socket.destroy();
      resolve({ at, received, head });
    };
    const patience = setTimeout(leave, WAIT_MS_MAX);
    socket.on("error", (error) => {
      clearTimeout(patience);
      reject(error);
    });
    socket.on("end", leave);
    socket.on("data", (bytes: Buffer) => {
      received += bytes.length;
      if (head.length < HEAD_LENGTH_MAX) head += bytes.toString("latin1");
      if (received >= reads) leave();
    });
    socket.write(request.slice(0, sends), () => {
      if (reads === 0) leave();
    });
  });
}

export interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly body?: object;
}

export function requestText(port: number, { method, path, accept, body }: RequestLine): string {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, `accept: ${accept}`];
  if (body !== undefined) lines.push("content-type: application/json", `content-length: ${payload.length}`);
  return `${lines.join("\r\n")}\r\n\r\n${payload}`;
}
