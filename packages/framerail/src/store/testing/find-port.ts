// Ports for the servers that tests start.

import { once } from "node:events";
import { createServer } from "node:net";

/** A free port below the range from which the system takes ports by itself. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      return port;
    } catch {
      // Taken: the next one.
    } finally {
      server.close();
    }
  }
}
