// Notices when an agent has fallen silent [W-NFR-6, C-23].
// Owns: the idle timer of one turn. Does not own: what silence means (the caller ends the turn).
//   I1. Silence is time without an event as the agent writes it, before policy; signs of life on a connection are none.
//   I2. While the writer is held back the agent cannot be heard, so that time does not count [D-6].

import type { Clock } from "@framerail/protocol";

export interface IdleWatchOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  onIdle(): void;
}

export class IdleWatch {
  readonly #options: IdleWatchOptions;
  #heardAt: number;
  #held = 0;
  #cancel: () => void;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
    this.#cancel = options.clock.schedule(options.idleMs, () => this.#look());
  }

  /** `at`: when, where the caller has read the clock already. */
  heard(at = this.#options.clock.now()): void {
    this.#heardAt = at;
  }

  /** I2 */
  async whileHeld(held: Promise<void>): Promise<void> {
    this.#held += 1;
    try {
      await held;
    } finally {
      this.#held -= 1;
      this.heard();
    }
  }

  close(): void {
    this.#cancel();
  }

  // One timer per window, not per event: it looks when the last event came, and waits for the rest.
  #look(): void {
    const { clock, idleMs, onIdle } = this.#options;
    if (this.#held > 0) this.heard();
    // A clock that was set back must not make the wait longer than one window.
    const silentMs = Math.max(0, clock.now() - this.#heardAt);
    if (silentMs >= idleMs) onIdle();
    else this.#cancel = clock.schedule(idleMs - silentMs, () => this.#look());
  }
}
