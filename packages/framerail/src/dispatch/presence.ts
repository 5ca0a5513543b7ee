// Whether anybody reads a turn, and what becomes of one that nobody reads [D-9, G5].
// Owns: the readers of this process by turn, grace. Does not own: the readers (gateway/), what others say (replicas.ts).
//   P1. Disconnected means no reader anywhere: other processes are asked before a turn is given up.
//   P2. A turn that nobody has begun to read counts as left from its start: its caller may be gone before the first byte.
//       It has FIRST_READER_MS to come, however short the grace is.
//   P3. A reader that comes back within the grace changes nothing.

import type { Clock } from "@framerail/protocol";
import { FIRST_READER_MS, PRESENCE_MS, PRESENCE_MS_TTL, READ_ELSEWHERE_MS } from "./limits.js";
import type { Replicas } from "./replicas.js";

export interface PresenceOptions {
  readonly clock: Clock;
  readonly replicas?: Replicas | undefined;
  report?(error: unknown): void;
}

export interface Presence {
  /** A reader comes; the returned function says that it has gone. */
  enter(turnId: string): () => void;
  /** Calls `onLeft` once when nobody has read the turn for `graceMs`; the returned function ends the watch. */
  watch(turnId: string, graceMs: number, onLeft: () => void): () => void;
  readersOf(turnId: string): number;
  close(): void;
}

export function createPresence(options: PresenceOptions): Presence {
  return new LocalPresence(options);
}

interface Watch {
  readonly graceMs: number;
  readonly onLeft: () => void;
  cancelGrace: (() => void) | undefined;
  /** When it was looked at last it was read elsewhere. */
  isReadElsewhere: boolean;
}

class LocalPresence implements Presence {
  readonly #options: PresenceOptions;
  readonly #readers = new Map<string, number>();
  readonly #watches = new Map<string, Watch>();
  #cancelAnnouncing: (() => void) | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  readersOf(turnId: string): number {
    return this.#readers.get(turnId) ?? 0;
  }

  enter(turnId: string): () => void {
    this.#readers.set(turnId, this.readersOf(turnId) + 1);
    const watch = this.#watches.get(turnId);
    if (watch !== undefined) this.#stopGrace(watch);
    else this.#announce([turnId]);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(turnId);
    };
  }

  watch(turnId: string, graceMs: number, onLeft: () => void): () => void {
    const watch: Watch = { graceMs, onLeft, cancelGrace: undefined, isReadElsewhere: false };
    this.#watches.set(turnId, watch);
    // P2
    if (this.readersOf(turnId) === 0) this.#startGrace(turnId, watch, Math.max(graceMs, FIRST_READER_MS));
    return () => {
      this.#stopGrace(watch);
      if (this.#watches.get(turnId) === watch) this.#watches.delete(turnId);
    };
  }

  close(): void {
    this.#cancelAnnouncing?.();
    for (const watch of this.#watches.values()) this.#stopGrace(watch);
    this.#watches.clear();
  }

  #leave(turnId: string): void {
    const rest = this.readersOf(turnId) - 1;
    if (rest > 0) {
      this.#readers.set(turnId, rest);
      return;
    }
    this.#readers.delete(turnId);
    const watch = this.#watches.get(turnId);
    if (watch !== undefined) this.#startGrace(turnId, watch, watch.graceMs);
  }

  #startGrace(turnId: string, watch: Watch, ms: number): void {
    const { clock } = this.#options;
    this.#stopGrace(watch);
    if (ms === 0 && this.#options.replicas === undefined) this.#giveUp(turnId, watch);
    else watch.cancelGrace = clock.schedule(ms, () => void this.#endGrace(turnId, watch));
  }

  #stopGrace(watch: Watch): void {
    watch.cancelGrace?.();
    watch.cancelGrace = undefined;
  }

  async #endGrace(turnId: string, watch: Watch): Promise<void> {
    const ended = watch.cancelGrace;
    const isReadElsewhere = await this.#askOthers(turnId);
    // Another reader was here meanwhile, and has a grace of its own, or the turn has ended (P3).
    if (this.#watches.get(turnId) !== watch || watch.cancelGrace !== ended) return;
    // What the last reader elsewhere said was believed for a while after it had gone: that is part of its grace.
    const restMs = watch.isReadElsewhere ? watch.graceMs - (PRESENCE_MS_TTL - PRESENCE_MS) : 0;
    watch.isReadElsewhere = isReadElsewhere;
    if (isReadElsewhere) this.#startGrace(turnId, watch, READ_ELSEWHERE_MS);
    else if (restMs > 0) this.#startGrace(turnId, watch, restMs);
    else this.#giveUp(turnId, watch);
  }

  // P1. Others that cannot be asked may be reading: a turn is not given up on a guess.
  async #askOthers(turnId: string): Promise<boolean> {
    const { replicas, report } = this.#options;
    if (replicas === undefined) return false;
    try {
      return await replicas.isReadElsewhere(turnId);
    } catch (error) {
      report?.(error);
      return true;
    }
  }

  #giveUp(turnId: string, watch: Watch): void {
    this.#watches.delete(turnId);
    watch.onLeft();
  }

  /** Tells the others of readers on turns of theirs, at once and then again and again. */
  #announce(turnIds: readonly string[]): void {
    const { replicas, clock, report } = this.#options;
    if (replicas === undefined) return;
    if (turnIds.length > 0) replicas.announceReaders(turnIds).catch((error: unknown) => report?.(error));
    this.#cancelAnnouncing ??= clock.schedule(PRESENCE_MS, () => {
      this.#cancelAnnouncing = undefined;
      const others = [...this.#readers.keys()].filter((turnId) => !this.#watches.has(turnId));
      if (others.length > 0) this.#announce(others);
    });
  }
}
