// The beat in which frames of all turns go to Redis.
// Owns: which turns are in a call, repeating it. Does not own: what an answer means for a turn (redis-turn.ts).
//   P1. One call is under way at a time, and they begin BEAT_MS apart; frames that come meanwhile gather for the next. So
//       the order of a turn's frames needs no care, and the busier the process is, the more frames share a call. A frame
//       that comes alone goes at the end of its tick.
//   P2. A call that failed is repeated, after a pause that grows, for as long as one of its turns waits.
//   P3. A call has at most CALL_TURNS_MAX turns, and no further turn once it has CALL_BYTES_MAX.

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import { atEndOfTick } from "../../end-of-tick.js";
import type { AppendAnswer, AppendItem } from "./append-script.js";
import { unavailable } from "./connection.js";
import { BEAT_MS, CALL_BYTES_MAX, CALL_TURNS_MAX, CLOSE_MS_MAX } from "./limits.js";
import type { RedisTurn } from "./redis-turn.js";
import { retryMs } from "./retry-ms.js";

export interface AppendPumpOptions {
  readonly clock: Clock;
  append(items: readonly AppendItem[]): Promise<AppendAnswer[]>;
}

export class AppendPump {
  readonly #options: AppendPumpOptions;
  #ready = new Set<RedisTurn>();
  #busy = false;
  #closed = false;
  #attempt = 0;
  #idle: (() => void)[] = [];

  constructor(options: AppendPumpOptions) {
    this.#options = options;
  }

  schedule(turn: RedisTurn): void {
    if (this.#closed) {
      turn.fail(unavailable("the log is closed"));
      return;
    }
    this.#ready.add(turn);
    if (this.#busy) return;
    this.#busy = true;
    atEndOfTick(() => void this.#run());
  }

  /** Resolves when nothing waits any more, or when it took too long; then nothing is sent any more. */
  async close(): Promise<void> {
    if (this.#busy) {
      await new Promise<void>((resolve) => {
        const stop = this.#options.clock.schedule(CLOSE_MS_MAX, resolve);
        this.#idle.push(() => {
          stop();
          resolve();
        });
      });
    }
    this.#closed = true;
    this.#ready.clear();
  }

  async #run(): Promise<void> {
    while (this.#ready.size > 0) {
      // P1
      const rested = this.#pause(BEAT_MS);
      await this.#send();
      await (this.#attempt > 0 ? this.#pause(retryMs(this.#attempt)) : rested);
    }
    this.#busy = false;
    for (const settle of this.#idle.splice(0)) settle();
  }

  async #send(): Promise<void> {
    const [turns, items] = this.#gather();
    if (items.length === 0) return;
    try {
      const answers = await this.#options.append(items);
      this.#attempt = 0;
      this.#share(turns, answers);
    } catch (error) {
      if (!isFramerailError(error)) throw error;
      this.#attempt += 1;
      for (const turn of turns) {
        turn.postpone(error);
        if (!this.#closed) this.#ready.add(turn);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.schedule(ms, resolve));
  }

  #share(turns: readonly RedisTurn[], answers: readonly AppendAnswer[]): void {
    for (const [index, turn] of turns.entries()) {
      const answer = answers[index] ?? { status: "failed", lastSeq: 0, says: "no answer" };
      // P2: what failed alone is repeated with the others, at the pace of what failed.
      if (answer.status === "failed") this.#attempt = 1;
      if (turn.hear(answer) && !this.#closed) this.#ready.add(turn);
    }
  }

  // P3
  #gather(): [RedisTurn[], AppendItem[]] {
    const turns: RedisTurn[] = [];
    const items: AppendItem[] = [];
    let bytes = 0;
    for (const turn of this.#ready) {
      if (turns.length >= CALL_TURNS_MAX || bytes >= CALL_BYTES_MAX) break;
      this.#ready.delete(turn);
      const item = turn.nextItem();
      if (item === undefined) continue;
      turns.push(turn);
      items.push(item);
      for (const { size } of item.segments) bytes += size;
    }
    return [turns, items];
  }
}
