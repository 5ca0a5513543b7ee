// A network between a program and its database that breaks where a test says: at the very bytes of a request, or of its
// answer.

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface Cut {
  /** Up is towards the database. What holds the bytes is not passed on any more. */
  readonly way: "up" | "down";
  readonly at: string;
}

export interface CuttingProxy {
  /** The address of the same database through the proxy. */
  readonly url: string;
  /** Cuts the first connection on which these bytes come, once. */
  cutAt(cut: Cut): void;
  /** Passes nothing on from now on, and says nothing about it. */
  stall(): void;
  close(): Promise<void>;
}

export async function createCuttingProxy(database: string): Promise<CuttingProxy> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  let cut: Cut | undefined;
  let stalled = false;

  const pass = (way: Cut["way"], from: Socket, to: Socket) => {
    from.on("data", (bytes) => {
      if (stalled) return;
      if (cut?.way !== way || !bytes.includes(cut.at)) {
        to.write(bytes);
        return;
      }
      cut = undefined;
      from.destroy();
      to.destroy();
    });
    from.on("close", () => to.destroy());
    // A broken socket closes, and that is passed on.
    from.on("error", () => undefined);
    sockets.add(from);
    from.on("close", () => sockets.delete(from));
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    pass("up", client, upstream);
    pass("down", upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(database);
  [url.hostname, url.port] = ["127.0.0.1", String((server.address() as AddressInfo).port)];
  return {
    url: url.href,
    cutAt(next) {
      cut = next;
    },
    stall() {
      stalled = true;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
