// A network that breaks: passes bytes between a reader and the server, and cuts the connections of streams where it is told
// to. It keeps a diary of the streams that were asked for.

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface AskedStream {
  /** What the reader says it has seen; undefined when it begins. */
  readonly lastEventId: string | undefined;
}

/** Where a stream is cut: after so many bytes of its answer, and after they have lain there for a while. */
export interface Cut {
  readonly bytes: number;
  readonly restMs?: number;
}

export interface CuttingProxy {
  readonly url: string;
  /** Every request for a stream, in order. */
  readonly asked: readonly AskedStream[];
  close(): Promise<void>;
}

/** `cuts`: of the first stream, the second, and so on; the rest get all. */
export async function createCuttingProxy(port: number, cuts: readonly Cut[] = []): Promise<CuttingProxy> {
  const asked: AskedStream[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((reader) => {
    const upstream = connect(port, "127.0.0.1");
    let cut: Cut = { bytes: Number.POSITIVE_INFINITY };
    let bytesLeft = cut.bytes;
    reader.on("data", (bytes) => {
      const head = bytes.toString("latin1");
      if (/^GET \S+\/stream/.test(head)) {
        cut = cuts[asked.length] ?? cut;
        bytesLeft = cut.bytes;
        asked.push({ lastEventId: /^last-event-id: (.*)\r$/im.exec(head)?.[1] });
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (bytesLeft <= 0) return;
      reader.write(bytes.subarray(0, Math.min(bytes.length, bytesLeft)));
      bytesLeft -= bytes.length;
      // What was written still arrives; then the connection is gone, in the middle of a frame.
      if (bytesLeft <= 0) setTimeout(() => reader.destroySoon(), cut.restMs ?? 0);
    });
    join(sockets, reader, upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** The end of one is the end of the other. */
function join(sockets: Set<Socket>, left: Socket, right: Socket): void {
  for (const [socket, other] of [
    [left, right],
    [right, left],
  ] as const) {
    sockets.add(socket);
    // A broken socket closes, and that is what is passed on.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroySoon();
    });
  }
}
