// A network between a log and Redis that holds bytes back, or breaks after a call was sent and before it is answered.

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface HoldingProxy {
  readonly url: string;
  /** Keeps what is sent to Redis until `release`. */
  hold(): void;
  release(): void;
  /** The connections that there are pass nothing on any more, and say nothing about it; new ones work. */
  mute(): void;
  /** The next answer that holds these bytes does not arrive: its connection breaks instead. */
  loseAnswer(holds: string): void;
  /** Answers that were lost. */
  readonly lostCount: number;
  close(): Promise<void>;
}

export async function createHoldingProxy(redisUrl: string): Promise<HoldingProxy> {
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  const muted = new WeakSet<Socket>();
  let holds = false;
  let loses: string | undefined;
  let lostCount = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on("data", (bytes) => {
      if (muted.has(client)) return;
      if (holds) held.push(() => upstream.write(bytes));
      else upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (loses === undefined || !bytes.includes(loses)) {
        client.write(bytes);
        return;
      }
      loses = undefined;
      lostCount += 1;
      client.destroy();
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // A broken socket closes, and that is passed on, unless what was held back is still to be delivered.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        if (holds && socket === client) held.push(() => other.end());
        else other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      holds = true;
    },
    release() {
      holds = false;
      for (const act of held.splice(0)) act();
    },
    mute() {
      for (const socket of sockets) muted.add(socket);
    },
    loseAnswer(bytes) {
      loses = bytes;
    },
    get lostCount() {
      return lostCount;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
