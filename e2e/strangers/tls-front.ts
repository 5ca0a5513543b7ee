// TLS that ends before the server, as at a load balancer: bytes are decrypted and passed on, nothing else is done to them.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { readBody } from "../harness/caller.js";
import { createIdentity } from "./tls-identity.js";

export interface TlsFront {
  /** Asks the server behind it. */
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startTlsFront(serverPort: number): Promise<TlsFront> {
  const folder = mkdtempSync(join(tmpdir(), "framerail-tls-"));
  const { keyPath, certPath } = createIdentity(folder);
  const [key, cert] = [readFileSync(keyPath), readFileSync(certPath)];
  const front = createServer({ key, cert }, (reader) => {
    const upstream = connect(serverPort, "127.0.0.1");
    reader.pipe(upstream).pipe(reader);
    // Either side may go; the other is told by the end of the pipe.
    reader.on("error", () => upstream.destroy());
    upstream.on("error", () => reader.destroy());
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address() as AddressInfo;
  return {
    async get(path) {
      // The server answers to its own name only; who is called is not who is connected to.
      const headers = { host: `127.0.0.1:${serverPort}` };
      const asked = request({ host: "127.0.0.1", port, path, headers, ca: cert, agent: false }).end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      const { text } = await readBody(response);
      return { status: response.statusCode ?? 0, body: text };
    },
    async [Symbol.asyncDispose]() {
      front.close();
      await once(front, "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
