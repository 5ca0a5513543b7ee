// The process of one variant's server: the server, its pacer, and a line on which the reader's process says what it has.
// Arguments: the variant's name, and where the services are, as JSON.

import { createServer } from "node:net";
import { answerParent } from "./child.js";
import type { Pace } from "./pacer.js";
import { Pacer } from "./pacer.js";
import type { Services } from "./server.js";
import { listenOn } from "./server.js";
import { SERVERS } from "./servers/servers.js";

export type ServerRequest =
  | { readonly kind: "listen" }
  | { readonly kind: "streams" }
  | { readonly kind: "start"; readonly pace: Pace; readonly stamped: boolean }
  | { readonly kind: "stop" }
  | { readonly kind: "forget" }
  | { readonly kind: "usage" }
  | { readonly kind: "memory" };

export interface Ports {
  readonly port: number;
  /** Takes numbers of received frames, eight bytes each. */
  readonly ackPort: number;
}

const NUMBER_BYTES = 8;
const [name = "", services = "{}"] = process.argv.slice(2);
const pacer = new Pacer();

answerParent<ServerRequest>(async (asked) => {
  switch (asked.kind) {
    case "listen":
      return listen();
    case "streams":
      return pacer.streams;
    case "start":
      return pacer.start(asked.pace, asked.stamped);
    case "stop":
      return pacer.stop();
    case "forget":
      return pacer.forget();
    case "usage":
      return readCpuUs();
    case "memory":
      return measureMemory();
  }
});

async function listen(): Promise<Ports> {
  const start = SERVERS.get(name);
  if (start === undefined) throw new Error(`there is no variant called ${name}`);
  const port = await start(pacer, JSON.parse(services) as Services);
  const ackPort = await listenOn(
    createServer((socket) => {
      socket.setNoDelay(true);
      // The numbers grow, so the last one says it all; one that is cut in two is followed by a whole one.
      socket.on("data", (bytes) => {
        const whole = bytes.length - (bytes.length % NUMBER_BYTES);
        if (whole > 0) pacer.acknowledge(bytes.readDoubleBE(whole - NUMBER_BYTES));
      });
    }),
  );
  return { port, ackPort };
}

/** What is weakly held goes only with the collection after the one that found it so. */
const COLLECTIONS = 4;

async function measureMemory(): Promise<number> {
  for (let round = 0; round < COLLECTIONS; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage.rss();
}

function readCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
