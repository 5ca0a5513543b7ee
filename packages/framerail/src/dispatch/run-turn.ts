// Runs one turn, from its first frame to its last. Reads like the list of its steps:
//   1. open: the first frame is out before the step runs;
//   2. run the step, under a deadline;
//   3. latch the outcome, by the step's end, its failure, its silence, the deadline or a cancel, whichever comes first;
//   4. wait, for a short while, until what was cut off has told what it cost;
//   5. let the caller store what must be stored;
//   6. seal: the terminal frame.
// Owns: when a turn ends. Does not own: the stages of an event (publish-turn.ts), storing (the `commit` it is given).
//   R1. Every turn that was opened is sealed, whatever the step or a tap throws [G1].
//   R2. A cancel acts in the tick it comes in: outcome latched, step aborted [G5].

import type { TurnOutcome } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { EncodedFrame } from "../log/frame-sink.js";
import type { LatchListener, PublishTurnOptions, TurnPublication } from "../publish/publish-turn.js";
import { publishTurn } from "../publish/publish-turn.js";
import type { Heard } from "./idle-watch.js";
import { IdleWatch } from "./idle-watch.js";
import { IDLE_MS, SETTLE_MS_MAX, STEP_DEADLINE_MS } from "./limits.js";
import { IDLE, outcomeOfError } from "./outcome-of-error.js";
import { settleWithin } from "./settle-within.js";
import type { CallBudget, StepContext, StepEnd, StepRunner } from "./step-runner.js";

export interface RunTurnOptions extends PublishTurnOptions {
  readonly step: StepRunner;
  readonly deadlineMs?: number | undefined;
  /** How long the step may be silent. */
  readonly idleMs?: number | undefined;
  /** How long the caller lets the turn take; then it pauses, and can be continued [C-24]. */
  readonly timeMs?: number | undefined;
  readonly budget?: CallBudget;
  /** The first frame is at the log. */
  onOpened?(): void;
  /** Stores the turn's end and its terminal frame, which leaves only when this has resolved [G4]. */
  commit?(outcome: TurnOutcome, terminal: EncodedFrame): Promise<void>;
  /** What the step threw, whole, for operators. */
  onFailure?(error: unknown): void;
}

export interface RunningTurn {
  /** Resolves with the outcome when the terminal frame is out. */
  readonly ended: Promise<TurnOutcome>;
  /** Cancels at once; a turn that has ended is left alone. `idle`: for silence, not because somebody asked. */
  cancel(why?: "request" | "idle"): void;
  /** Ends the turn as failed, at once, because this process stops. */
  stop(): void;
  /** Ends the turn, at once, as `reason` says; operators hear of it. */
  fail(reason: FramerailError): void;
}

export function runTurn(options: RunTurnOptions): RunningTurn {
  return new Running(options);
}

class Running implements RunningTurn, Heard, LatchListener {
  readonly ended: Promise<TurnOutcome>;
  readonly #options: RunTurnOptions;
  readonly #turn: TurnPublication;
  readonly #run: Promise<void>;
  readonly #idle: IdleWatch;
  readonly #cancelDeadline: () => void;
  readonly #cancelLimit: (() => void) | undefined;
  #endWith!: (outcome: Promise<TurnOutcome>) => void;

  constructor(options: RunTurnOptions) {
    const { clock, timeMs } = options;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#endWith = resolve;
    });
    this.#turn = publishTurn(options, this);
    options.onOpened?.();
    this.#idle = new IdleWatch(this, clock, options.idleMs ?? IDLE_MS);
    this.#cancelDeadline = clock.schedule(options.deadlineMs ?? STEP_DEADLINE_MS, () =>
      this.#end(new FramerailError("DEADLINE_EXCEEDED", `agent ${options.agentId} took too long`)),
    );
    if (timeMs !== undefined) this.#cancelLimit = clock.schedule(timeMs, () => this.#pause());
    const context = { events: this.#turn, signal: this.#turn.signal, budget: options.budget };
    this.#run = runStep(this.#turn, context, options);
  }

  cancel(why: "request" | "idle" = "request"): void {
    this.#end(new FramerailError("CANCELLED", "the turn was cancelled", why === "idle" ? { cause: IDLE } : {}));
  }

  stop(): void {
    this.#end(new FramerailError("DRAINING", "the process stops"));
  }

  fail(reason: FramerailError): void {
    if (this.#turn.latch(outcomeOfError(reason), reason)) tellFailure(this.#options, reason);
  }

  silentMs(now: number): number {
    return this.#turn.silentMs(now);
  }

  onIdle(): void {
    this.#end(new FramerailError("CANCELLED", `agent ${this.#options.agentId} fell silent`, { cause: IDLE }));
  }

  latched(): void {
    // After this tick: then the last frames before the terminal are out, and a step that ends at once is known here.
    queueMicrotask(() => this.#endWith(this.#finish()));
  }

  #pause(): void {
    // No cancel: a run that is deaf to those ends, too [C-33].
    const reason = new FramerailError("DEADLINE_EXCEEDED", "the time that the caller gave is over");
    this.#turn.latch({ kind: "paused", limit: "time_limit" }, reason);
  }

  #end(reason: FramerailError): void {
    this.#turn.latch(outcomeOfError(reason), reason);
  }

  async #finish(): Promise<TurnOutcome> {
    const { clock, commit } = this.#options;
    this.#idle.close();
    this.#cancelDeadline();
    this.#cancelLimit?.();
    await settleWithin(this.#run, SETTLE_MS_MAX, clock);
    const outcome = this.#turn.outcome as TurnOutcome;
    await commit?.(outcome, this.#turn.terminal as EncodedFrame);
    await this.#turn.seal();
    return outcome;
  }
}

/** Never rejects: what the step throws becomes the outcome, and goes to the operator. */
async function runStep(turn: TurnPublication, context: StepContext, options: RunTurnOptions): Promise<void> {
  try {
    turn.latch(outcomeOfEnd(await options.step.run(context)));
  } catch (error) {
    // After the end, what an aborted step throws is no news.
    if (turn.latch(outcomeOfError(error), isFramerailError(error) ? error : undefined)) tellFailure(options, error);
  }
}

function tellFailure({ onFailure }: RunTurnOptions, error: unknown): void {
  try {
    onFailure?.(error);
  } catch {
    // Whoever listens for failures failed itself; the turn must still end, and there is nobody left to tell (R1).
  }
}

function outcomeOfEnd(end: StepEnd): TurnOutcome {
  return end.kind === "paused" ? { kind: "paused", limit: end.limit } : { kind: "completed" };
}
