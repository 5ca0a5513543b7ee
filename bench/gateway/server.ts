// What every variant's server is: something that listens, opens a stream for each request, and pushes what the pacer gives.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import type { Pacer } from "./pacer.js";

/** Where the services are that some servers need. */
export interface Services {
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly folder: string;
}

/** Listens and gives the port. */
export type StartServer = (pacer: Pacer, services: Services) => Promise<number>;

export async function listenOn(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A plain Node server whose every response is a stream. */
export function serveStreams(open: (response: ServerResponse, request: IncomingMessage) => void): Promise<number> {
  return listenOn(createServer((request, response) => open(response, request)));
}

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
};
