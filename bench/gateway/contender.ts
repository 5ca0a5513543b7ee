// One variant: its server in one process, its reader in another, and windows of time in which they are measured.
// Owns: what a window is. Does not own: which variants take part, in which order (gateway.ts).
//   W1. Streams are open, and everything of their opening is over, before a window begins; its first WARM_UP_MS do not count.
//   W2. After a window every frame that was pushed must have come: a variant that loses frames fails the bench.
//   W3. A lone stream as fast as it can be read would soon be longer than an answer may be. So every such window has a stream of
//       its own, and is short.
//   W4. A process that is young compiles, lets its heap grow by collecting it again and again, and fetches memory that it will
//       soon have enough of; so one window of each pace comes before those that count, and the one as fast as it goes is long
//       enough that a turn among a thousand has been stored once.

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Child } from "./child.js";
import { openChild } from "./child.js";
import type { LoadRequest, LoadSample } from "./load-process.js";
import type { Pace } from "./pacer.js";
import { giveServersProcessor } from "./processors.js";
import type { Services } from "./server.js";
import type { Ports, ServerRequest } from "./server-process.js";
import { isOurs } from "./servers/servers.js";

const SERVER = fileURLToPath(new URL("server-process.ts", import.meta.url));
const LOAD = fileURLToPath(new URL("load-process.ts", import.meta.url));
const WARM_UP_MS = 500;
const [LONE_WARM_UP_MS, LONE_MS_MAX] = [100, 300];
const LOOK_MS = 50;
const WAIT_MS_MAX = 120_000;

export interface Window {
  readonly pace: Pace;
  readonly ms: number;
  readonly stamped?: boolean;
}

export interface Measured {
  readonly frames: number;
  readonly seconds: number;
  readonly cpuUsPerFrame: number;
  readonly loadCpuUsPerFrame: number;
}

export class Contender {
  readonly name: string;
  readonly server: Child<ServerRequest>;
  readonly load: Child<LoadRequest>;
  #streams = 0;
  #readers = 0;

  private constructor(name: string, server: Child<ServerRequest>, load: Child<LoadRequest>) {
    this.name = name;
    this.server = server;
    this.load = load;
  }

  static async open(name: string, services: Services, isBound: boolean): Promise<Contender> {
    const server = openChild<ServerRequest>(SERVER, [name, JSON.stringify(services)]);
    if (isBound) giveServersProcessor(server.pid);
    const ports = await server.ask<Ports>({ kind: "listen" });
    return new Contender(name, server, openChild<LoadRequest>(LOAD, [JSON.stringify(ports)]));
  }

  /** Opens streams until there are so many, each with a reader. */
  async openStreams(count: number): Promise<void> {
    // W3: a lone one may have said nearly all that it may.
    if (this.#streams === 1) await this.#forgetStreams();
    const path = isOurs(this.name) ? undefined : "/";
    await this.load.ask({ kind: "open", count: count - this.#streams, path });
    this.#streams = count;
    await until(
      async () => (await this.server.ask<number>({ kind: "streams" })) >= count,
      `${this.name} opens streams`,
    );
    await this.settle();
  }

  /** The streams that are open stay silent from now on. */
  async #forgetStreams(): Promise<void> {
    await this.server.ask({ kind: "forget" });
    this.#streams = 0;
  }

  /** More readers of one stream. */
  async openReaders(count: number, path: string): Promise<void> {
    this.#readers += count;
    await this.load.ask({ kind: "open", count, path });
    await until(async () => (await this.#sample()).answered >= this.#readers, `${this.name} opens readers`);
    await this.settle();
  }

  /** W1 */
  async settle(): Promise<void> {
    let before = -1;
    await until(async () => {
      await sleep(LOOK_MS);
      const { frames } = await this.#sample();
      const isStill = frames === before;
      before = frames;
      return isStill;
    }, `${this.name} comes to rest`);
  }

  /** W4 */
  async warmUp(saturatedMs: number, pacedMs: number): Promise<void> {
    await this.measure({ pace: "saturated", ms: saturatedMs });
    await this.measure({ pace: "paced", ms: pacedMs });
  }

  /** `readers`: how many times each pushed frame must come. */
  async measure({ pace, ms, stamped = false }: Window, readers = 1): Promise<Measured> {
    // W3
    const isLone = pace === "saturated" && this.#streams === 1;
    if (isLone) await this.openStreams(1);
    await this.load.ask({ kind: "start", acks: pace === "saturated", stamped });
    await this.server.ask({ kind: "start", pace, stamped });
    await sleep(isLone ? LONE_WARM_UP_MS : WARM_UP_MS);
    const [cpuUs, sample, at] = [await this.#cpuUs(), await this.#sample(), performance.now()];
    await sleep(isLone ? Math.min(ms, LONE_MS_MAX) : ms);
    const [cpuUsAfter, sampleAfter, after] = [await this.#cpuUs(), await this.#sample(), performance.now()];
    const pushed = (await this.server.ask<number>({ kind: "stop" })) * readers;
    // W2
    await until(async () => (await this.#sample()).frames >= pushed, `${this.name} delivers ${pushed} frames`);
    const frames = sampleAfter.frames - sample.frames;
    return {
      frames,
      seconds: (after - at) / 1_000,
      cpuUsPerFrame: (cpuUsAfter - cpuUs) / frames,
      loadCpuUsPerFrame: (sampleAfter.cpuUs - sample.cpuUs) / frames,
    };
  }

  /** Resident bytes of the server, after what is garbage is gone. */
  memoryBytes(): Promise<number> {
    return this.server.ask<number>({ kind: "memory" });
  }

  async close(): Promise<void> {
    await this.load.close();
    await this.server.close();
  }

  #cpuUs(): Promise<number> {
    return this.server.ask<number>({ kind: "usage" });
  }

  #sample(): Promise<LoadSample> {
    return this.load.ask<LoadSample>({ kind: "sample" });
  }
}

export type OpenContender = (name: string) => Promise<Contender>;

async function until(isDone: () => Promise<boolean>, what: string): Promise<void> {
  for (const start = performance.now(); !(await isDone()); await sleep(LOOK_MS)) {
    if (performance.now() - start > WAIT_MS_MAX) throw new Error(`after ${WAIT_MS_MAX} ms still not: ${what}`);
  }
}
