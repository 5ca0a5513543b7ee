// Notices when an agent has fallen silent [W-NFR-6, C-23].
// Owns: the idle timer of one turn. Does not own: what silence means (the caller ends the turn).
//   I1. Silence is time without an event as the agent writes it, before policy; signs of life on a connection are none.
//   I2. While the writer is held back the agent cannot be heard, so that time does not count [D-6].

import type { Clock } from "@framerail/protocol";

/** Whoever may fall silent. */
export interface Heard {
  /** When the last event came; asked for by the timer, so that an event costs nothing here. */
  readonly heardAt: number;
  onIdle(): void;
}

export class IdleWatch {
  readonly #heard: Heard;
  readonly #clock: Clock;
  readonly #idleMs: number;
  /** Silence counts from here, whatever came before. */
  #since: number;
  #held = 0;
  #cancel: () => void;

  constructor(heard: Heard, clock: Clock, idleMs: number) {
    [this.#heard, this.#clock, this.#idleMs] = [heard, clock, idleMs];
    this.#since = clock.now();
    this.#cancel = clock.schedule(idleMs, () => this.#look());
  }

  /** I2 */
  async whileHeld(held: Promise<void>): Promise<void> {
    this.#held += 1;
    try {
      await held;
    } finally {
      this.#held -= 1;
      this.#since = this.#clock.now();
    }
  }

  close(): void {
    this.#cancel();
  }

  // One timer per window, not per event: it looks when the last event came, and waits for the rest.
  #look(): void {
    const [heard, idleMs, now] = [this.#heard, this.#idleMs, this.#clock.now()];
    if (this.#held > 0) this.#since = now;
    // A clock that was set back must not make the wait longer than one window.
    const silentMs = Math.max(0, now - Math.max(this.#since, heard.heardAt));
    if (silentMs >= idleMs) heard.onIdle();
    else this.#cancel = this.#clock.schedule(idleMs - silentMs, () => this.#look());
  }
}
