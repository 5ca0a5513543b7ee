// Logs of several processes on one Redis, and turns on them, as the tests of this folder need them.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { frameOf, readOn } from "../../testing/log-contract.js";
import type { TurnAppender, TurnLog, TurnView } from "../../turn-log.js";
import type { RedisLogOptions } from "../redis-log.js";
import { createRedisLog } from "../redis-log.js";

const UNTIL_MS_MAX = 50_000;

const opened: TurnLog[] = [];

export function openLog(url: string, options: Omit<Partial<RedisLogOptions>, "url" | "redis"> = {}): TurnLog {
  const log = createRedisLog({ owner: randomUUID(), ...options, url });
  opened.push(log);
  return log;
}

export async function closeLogs(): Promise<void> {
  await Promise.all(opened.splice(0).map((log) => log.close()));
}

export interface WrittenTurn {
  readonly turnId: string;
  readonly orgId: string;
  readonly appender: TurnAppender;
  readonly failures: string[];
  append(first: number, last: number): void;
  seal(seq: number): Promise<void>;
}

export interface StartOptions {
  readonly turnId?: string;
  readonly orgId?: string;
  readonly epoch?: number;
  readonly lastSeq?: number;
}

export function startTurn(log: TurnLog, options: StartOptions = {}): WrittenTurn {
  const { turnId = randomUUID(), orgId = randomUUID(), epoch = 1, lastSeq = 0 } = options;
  const failures: string[] = [];
  const appender = log.open({ orgId, turnId, epoch }, { lastSeq, onFailure: ({ code }) => failures.push(code) });
  return {
    turnId,
    orgId,
    appender,
    failures,
    append(first, last) {
      for (let seq = first; seq <= last; seq += 1) appender.append(frameOf(turnId, seq));
    },
    seal: (seq) => appender.seal(frameOf(turnId, seq)),
  };
}

export const textOf = (turnId: string, first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => frameOf(turnId, first + index).sse).join("");

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = Date.now(); !(await isSo()); await sleep(2)) {
    if (Date.now() - start > UNTIL_MS_MAX) throw new Error(`waited in vain until ${what}`);
  }
}

/** Attaches as soon as the log knows the turn. */
export async function attachTo(log: TurnLog, turnId: string): Promise<TurnView> {
  let view: TurnView | undefined;
  await until("the turn is known", async () => {
    view = await log.attach(turnId);
    return view !== undefined;
  });
  return view as TurnView;
}

/** Reads a turn as a connection does: whenever it is woken, from where it is, to its end. */
export async function readToEnd(view: TurnView, afterSeq = 0): Promise<string> {
  let [text, lastSeq] = ["", afterSeq];
  for (;;) {
    const woken = new Promise<void>((resolve) => {
      const leave = view.watch({
        wake() {
          leave();
          resolve();
        },
      });
    });
    const sealed = view.sealed;
    const read = await readOn(view, lastSeq);
    text += read.text;
    lastSeq = read.lastSeq;
    if (sealed && lastSeq === view.lastSeq) return text;
    if (lastSeq === view.lastSeq && !view.sealed) await woken;
  }
}
