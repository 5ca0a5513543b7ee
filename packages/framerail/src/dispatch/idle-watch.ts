// Notices when an agent has fallen silent [W-NFR-6, C-23].
// Owns: the idle timer of one turn. Does not own: what silence means (the caller ends the turn).
//   I1. Silence is time without an event as the agent writes it, before policy; signs of life on a connection are none.

import type { Clock } from "@framerail/protocol";

/** Whoever may fall silent. */
export interface Heard {
  /** For how long it has been silent at the time `now`; asked for by the timer, so that an event costs nothing here. */
  silentMs(now: number): number;
  onIdle(): void;
}

export class IdleWatch {
  readonly #heard: Heard;
  readonly #clock: Clock;
  readonly #idleMs: number;
  #cancel: () => void;

  constructor(heard: Heard, clock: Clock, idleMs: number) {
    [this.#heard, this.#clock, this.#idleMs] = [heard, clock, idleMs];
    this.#cancel = clock.schedule(idleMs, () => this.#look());
  }

  close(): void {
    this.#cancel();
  }

  // One timer per window, not per event: it looks when the last event came, and waits for the rest.
  #look(): void {
    const [heard, clock, idleMs] = [this.#heard, this.#clock, this.#idleMs];
    // A clock that was set back must not make the wait longer than one window.
    const silentMs = Math.max(0, heard.silentMs(clock.now()));
    if (silentMs >= idleMs) heard.onIdle();
    else this.#cancel = clock.schedule(idleMs - silentMs, () => this.#look());
  }
}
