// The turns that run in this process.
// Owns: which there are, who reads them, when no more may begin. Does not own: how a turn runs (send-message.ts).
//   E1. A turn that ends without its end being stored is handed to whoever seals turns [D-4].
//   E2. A process that stops takes no new turn, and lets those it has go on for a while [D-19].
//   E3. A turn that nobody reads is cancelled where its caller wanted that [D-9].

import type { TurnOutcome } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import { DRAIN_MS } from "./limits.js";
import type { Presence } from "./presence.js";
import type { RunningTurn } from "./run-turn.js";
import type { DispatchOptions, SendRequest } from "./send-message.js";
import { sendMessage } from "./send-message.js";

export interface DispatcherOptions extends DispatchOptions {
  readonly presence: Presence;
}

export type Sent =
  | { readonly kind: "started"; readonly turnId: string; readonly ended: Promise<TurnOutcome | undefined> }
  /** The same request came before. */
  | { readonly kind: "attached"; readonly turnId: string };

export interface Dispatcher {
  /** Throws NOT_FOUND, SESSION_CLOSED, TURN_RUNNING, KEY_REUSED, BUDGET_EXHAUSTED, DRAINING: no turn was begun. */
  send(request: SendRequest): Promise<Sent>;
  /** The turn, where it runs in this process. */
  running(turnId: string): RunningTurn | undefined;
  readonly runningCount: number;
  /** Takes no new turn and resolves when the last has ended; those that take longer than `ms` are ended as failed. */
  drain(ms?: number): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return new TurnDispatcher(options);
}

class TurnDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #turns = new Map<string, RunningTurn>();
  /** Requests on their way to a turn, and turns on their way to their end. */
  readonly #underWay = new Set<Promise<unknown>>();
  #draining = false;
  /** The time that a draining process gives its turns is over. */
  #isOver = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get runningCount(): number {
    return this.#turns.size;
  }

  running(turnId: string): RunningTurn | undefined {
    return this.#turns.get(turnId);
  }

  send(request: SendRequest): Promise<Sent> {
    // E2
    if (this.#draining) return Promise.reject(new FramerailError("DRAINING", "the process stops"));
    return this.#keep(this.#send(request));
  }

  async drain(ms = DRAIN_MS): Promise<void> {
    this.#draining = true;
    const cancel = this.#options.clock.schedule(ms, () => {
      this.#isOver = true;
      for (const turn of this.#turns.values()) turn.stop();
    });
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    cancel();
  }

  async #send(request: SendRequest): Promise<Sent> {
    const { abandoned, report } = this.#options;
    const begun = await sendMessage(this.#options, request);
    if (begun.kind === "attached") return begun;
    const { turnId, turn } = begun;
    this.#turns.set(turnId, turn);
    const unwatch = this.#watchReaders(request, turnId, turn);
    const leave = () => {
      unwatch();
      this.#turns.delete(turnId);
    };
    const ended = turn.ended.then(
      (outcome) => {
        leave();
        return outcome;
      },
      (error: unknown) => {
        leave();
        // E1. One that is another's by now is that one's to end.
        if (!isFramerailError(error) || error.code !== "STALE_EPOCH") abandoned.add(turnId);
        report?.({ kind: "end_failed", turnId, error });
        return undefined;
      },
    );
    // E2: it was on its way when the others were ended.
    if (this.#isOver) turn.stop();
    return { kind: "started", turnId, ended: this.#keep(ended) };
  }

  // E3
  #watchReaders({ onDisconnect }: SendRequest, turnId: string, turn: RunningTurn): () => void {
    if (onDisconnect.action === "continue") return () => undefined;
    return this.#options.presence.watch(turnId, onDisconnect.grace_ms, () => turn.cancel());
  }

  #keep<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = () => void this.#underWay.delete(work);
    work.then(done, done);
    return work;
  }
}
