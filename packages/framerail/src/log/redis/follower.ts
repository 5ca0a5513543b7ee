// Follows the turns of other processes: one connection that waits for all of them together.
// Owns: what is followed, and from where. Does not own: who reads (redis-log.ts), what a view makes of an entry.
//   F1. Every read names the last frame that its view has, never "what comes from now on": whatever was appended before,
//       between or during reads is found by one of them.
//   F2. A turn that is added while a read waits is in the next one, and an entry to a key of our own ends the wait. If
//       that entry is lost, the wait ends by itself after FOLLOW_BLOCK_MS.
//   F3. A view that cannot be continued is told so: a gap, or a turn that Redis does not have any more.
//   F4. One key that holds something else makes the read of all of them fail: its view is let go, the others go on.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { RedisConnection } from "./connection.js";
import {
  FOLLOW_BLOCK_MS,
  FOLLOW_CHECK_MS,
  FOLLOW_ENTRIES_MAX,
  FOLLOW_MISSES_MAX,
  FOLLOWED_TURNS_MAX,
  READ_MS_MAX,
  WAKE_MS_IN_REDIS,
} from "./limits.js";
import type { RedisView } from "./redis-view.js";
import { retryMs } from "./retry-ms.js";
import type { RawEntry } from "./stream-entry.js";
import { readEntry } from "./stream-entry.js";

export interface FollowerOptions {
  /** Waits; nothing else is called on it. */
  readonly waiting: RedisConnection;
  readonly asking: RedisConnection;
  readonly wakeKey: string;
  readonly clock: Clock;
}

export class Follower {
  readonly #options: FollowerOptions;
  /** By the key of the stream, with how often it was missing. */
  readonly #views = new Map<string, { readonly view: RedisView; misses: number }>();
  #running = false;
  #waits = false;
  #wakes = 0;
  #wakesSeen = 0;
  #closed = false;
  #stopCheck: (() => void) | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  follow(view: RedisView): void {
    const { stream } = view.keys;
    const known = this.#views.get(stream);
    if (this.#closed || known?.view === view) return;
    // One that was there before is of nobody any more: a turn has one view that is not lost.
    if (known === undefined && this.#views.size >= FOLLOWED_TURNS_MAX) {
      throw new FramerailError("LOG_UNAVAILABLE", `${FOLLOWED_TURNS_MAX} turns of other processes are followed`);
    }
    this.#views.set(stream, { view, misses: 0 });
    this.#checkLater();
    if (this.#running) this.#wake();
    else void this.#run();
  }

  unfollow(view: RedisView): void {
    if (this.#views.get(view.keys.stream)?.view === view) this.#views.delete(view.keys.stream);
  }

  close(): void {
    this.#closed = true;
    this.#views.clear();
    this.#stopCheck?.();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let attempt = 0; this.#views.size > 0; ) {
      try {
        this.#feed(await this.#read());
        attempt = 0;
      } catch (error) {
        if (!isFramerailError(error)) throw error;
        attempt += 1;
        if (isWrongType(error)) await this.#loseStrangers();
        await new Promise<void>((resolve) => void this.#options.clock.schedule(retryMs(attempt), resolve));
      }
    }
    this.#running = false;
  }

  // F1
  async #read(): Promise<readonly [Buffer, readonly RawEntry[]][]> {
    const { waiting, wakeKey } = this.#options;
    const keys = [wakeKey];
    const ids = [`${this.#wakesSeen}-0`];
    for (const [key, { view }] of this.#views) {
      keys.push(key);
      ids.push(`${view.lastSeq}-0`);
    }
    const args = ["COUNT", FOLLOW_ENTRIES_MAX, "BLOCK", FOLLOW_BLOCK_MS, "STREAMS", ...keys, ...ids];
    this.#waits = true;
    try {
      const answer = await waiting.call({ name: "XREAD", args, msMax: FOLLOW_BLOCK_MS + READ_MS_MAX });
      return (answer ?? []) as readonly [Buffer, readonly RawEntry[]][];
    } finally {
      this.#waits = false;
      this.#wakesSeen = this.#wakes;
    }
  }

  #feed(streams: readonly [Buffer, readonly RawEntry[]][]): void {
    for (const [key, entries] of streams) {
      const view = this.#views.get(String(key))?.view;
      if (view === undefined) continue;
      for (const raw of entries) {
        const entry = readEntry(raw);
        if (entry !== undefined && view.feed(entry)) continue;
        this.#lose(view);
        break;
      }
      if (view.sealed) this.unfollow(view);
      view.wake();
    }
  }

  // F2
  #wake(): void {
    if (!this.#waits || this.#wakes > this.#wakesSeen) return;
    this.#wakes += 1;
    const { asking, wakeKey } = this.#options;
    const calls = [
      asking.call({ name: "XADD", args: [wakeKey, "MAXLEN", 1, `${this.#wakes}-0`, "wake", 1], msMax: READ_MS_MAX }),
      asking.call({ name: "PEXPIRE", args: [wakeKey, WAKE_MS_IN_REDIS], msMax: READ_MS_MAX }),
    ];
    // Nobody needs to hear of it: the wait ends by itself.
    void Promise.allSettled(calls);
  }

  #checkLater(): void {
    this.#stopCheck ??= this.#options.clock.schedule(FOLLOW_CHECK_MS, () => {
      this.#stopCheck = undefined;
      void this.#check();
      if (this.#views.size > 0) this.#checkLater();
    });
  }

  // F3: a read that waits for a key does not hear that the key is gone.
  async #check(): Promise<void> {
    const { asking } = this.#options;
    await Promise.allSettled(
      [...this.#views.values()].map(async (followed) => {
        const { view } = followed;
        const there = await asking.call({ name: "EXISTS", args: [view.keys.state], msMax: READ_MS_MAX });
        followed.misses = there === 1 ? 0 : followed.misses + 1;
        if (followed.misses >= FOLLOW_MISSES_MAX) this.#lose(view);
      }),
    );
  }

  // F4
  async #loseStrangers(): Promise<void> {
    const { asking } = this.#options;
    await Promise.allSettled(
      [...this.#views.values()].map(({ view }) => {
        const args = [view.keys.stream, "-", "+", "COUNT", 1];
        return asking.call({ name: "XRANGE", args, msMax: READ_MS_MAX }).catch((error: unknown) => {
          if (isFramerailError(error) && isWrongType(error)) this.#lose(view);
        });
      }),
    );
  }

  #lose(view: RedisView): void {
    this.unfollow(view);
    view.lose();
  }
}

function isWrongType({ cause }: FramerailError): boolean {
  return cause instanceof Error && cause.message.startsWith("WRONGTYPE");
}
