// Notices when an agent has fallen silent [W-NFR-6, C-23].
// Owns: the idle timer of one turn. Does not own: what silence means (the caller ends the turn).
//   I1. Silence is time without an event as the agent writes it, before policy; signs of life on a connection are none.
//   I2. While the writer is held back the agent cannot be heard, so that time does not count [D-6].

import type { Clock } from "@framerail/protocol";

export interface IdleWatchOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  /** When the last event came; asked for by the timer, so that an event costs nothing here. */
  heardAt(): number;
  onIdle(): void;
}

export class IdleWatch {
  readonly #options: IdleWatchOptions;
  /** Silence counts from here, whatever came before. */
  #since: number;
  #held = 0;
  #cancel: () => void;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
    this.#since = options.clock.now();
    this.#cancel = options.clock.schedule(options.idleMs, () => this.#look());
  }

  /** I2 */
  async whileHeld(held: Promise<void>): Promise<void> {
    this.#held += 1;
    try {
      await held;
    } finally {
      this.#held -= 1;
      this.#since = this.#options.clock.now();
    }
  }

  close(): void {
    this.#cancel();
  }

  // One timer per window, not per event: it looks when the last event came, and waits for the rest.
  #look(): void {
    const { clock, idleMs, heardAt, onIdle } = this.#options;
    const now = clock.now();
    if (this.#held > 0) this.#since = now;
    // A clock that was set back must not make the wait longer than one window.
    const silentMs = Math.max(0, now - Math.max(this.#since, heardAt()));
    if (silentMs >= idleMs) onIdle();
    else this.#cancel = clock.schedule(idleMs - silentMs, () => this.#look());
  }
}
