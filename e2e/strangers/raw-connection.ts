// A caller that writes HTTP by hand: whatever bytes a test likes, on one connection, answers read one after another.
// It reads strictly: what is no answer where one must begin is an error, so bytes that slip between two answers are seen.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** How long the body was, is told by chunks, by a number, or only by the end of the connection. */
  readonly length: "chunks" | "number" | "close";
}

export class RawConnection {
  readonly #socket: Socket;
  #bytes = "";
  #isClosed = false;
  #onChange: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#bytes += text;
      this.#onChange();
    });
    // A connection that the server resets is closed, and a test that waits for more is told so.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      this.#onChange();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  /** As the bytes of Latin-1. */
  send(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** The next answer, once all of it is there. */
  async next({ hasBody = true } = {}): Promise<RawAnswer> {
    const head = await this.#take((bytes) => endOf(bytes, "\r\n\r\n"));
    const [, status = "", fields = ""] = /^HTTP\/1\.1 (\d{3}) .*?\r\n(.*)\r\n$/s.exec(head) ?? [];
    if (status === "") throw new Error(`this is no answer: ${JSON.stringify(head.slice(0, 200))}`);
    const headers = new Map(fields.split("\r\n").map((line) => splitField(line)));
    const count = headers.get("content-length");
    const answer = { status: Number(status), headers };
    if (!hasBody || status === "204") return { ...answer, body: "", length: "number" };
    if (count !== undefined) return { ...answer, body: await this.#take(() => Number(count)), length: "number" };
    if (headers.get("transfer-encoding") !== "chunked") return { ...answer, body: await this.rest(), length: "close" };
    return { ...answer, body: await this.#takeChunks(), length: "chunks" };
  }

  /** Everything until the server closes. */
  async rest(): Promise<string> {
    while (!this.#isClosed) await this.#change();
    const text = this.#bytes;
    this.#bytes = "";
    return text;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #takeChunks(): Promise<string> {
    for (let body = ""; ; ) {
      const size = Number.parseInt(await this.#take((bytes) => endOf(bytes, "\r\n")), 16);
      if (Number.isNaN(size)) throw new Error(`no chunk begins after ${JSON.stringify(body.slice(-200))}`);
      const chunk = await this.#take(() => size + 2);
      if (!chunk.endsWith("\r\n")) throw new Error(`a chunk does not end: ${JSON.stringify(chunk.slice(-200))}`);
      if (size === 0) return body;
      body += chunk.slice(0, -2);
    }
  }

  /** Takes what has come up to where `end` says, once it has; undefined: not yet. */
  async #take(end: (bytes: string) => number | undefined): Promise<string> {
    for (;;) {
      const length = end(this.#bytes);
      if (length !== undefined && length <= this.#bytes.length) {
        const taken = this.#bytes.slice(0, length);
        this.#bytes = this.#bytes.slice(length);
        return taken;
      }
      if (this.#isClosed) throw new Error(`the connection was closed after ${JSON.stringify(this.#bytes)}`);
      await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }
}

function endOf(bytes: string, mark: string): number | undefined {
  const at = bytes.indexOf(mark);
  return at < 0 ? undefined : at + mark.length;
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
