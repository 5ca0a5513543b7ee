// The network between a browser and the program, which a test can break: it listens on another address of this machine,
// under the program's own port, so that the program answers to the name the browser uses.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";

/** What a browser must be told to find it under the name of this machine. */
const ADDRESS = "127.0.0.2";
export const FIND_NETWORK = `--host-resolver-rules=MAP localhost ${ADDRESS}`;

export interface BreakableNetwork {
  /** For a browser that was started with FIND_NETWORK. */
  readonly url: string;
  /** Cuts every connection that is open; new ones may come. */
  cut(): void;
  close(): Promise<void>;
}

export async function openNetwork(port: number): Promise<BreakableNetwork> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      // A broken socket closes, and that is what is passed on.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(port, ADDRESS);
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://localhost:${port}`,
    cut,
    async close() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
