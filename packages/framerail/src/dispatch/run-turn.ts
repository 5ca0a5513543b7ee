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

import type { AgentEvent, Clock, TurnOutcome } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { EncodedFrame } from "../log/frame-sink.js";
import type { PublishTurnOptions, TurnPublication } from "../publish/publish-turn.js";
import { publishTurn } from "../publish/publish-turn.js";
import { IdleWatch } from "./idle-watch.js";
import { IDLE_MS, SETTLE_MS_MAX, STEP_DEADLINE_MS } from "./limits.js";
import { IDLE, outcomeOfError } from "./outcome-of-error.js";
import type { CallBudget, StepContext, StepEnd, StepRunner } from "./step-runner.js";

export interface RunTurnOptions extends Omit<PublishTurnOptions, "agentId"> {
  readonly step: StepRunner;
  readonly deadlineMs?: number;
  /** How long the step may be silent. */
  readonly idleMs?: number;
  /** How long the caller lets the turn take; then it pauses, and can be continued [C-24]. */
  readonly timeMs?: number | undefined;
  readonly budget?: CallBudget;
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
  const { step, clock } = options;
  const idle = new IdleWatch({
    clock,
    idleMs: options.idleMs ?? IDLE_MS,
    heardAt: () => turn.heardAt,
    onIdle: () => end(new FramerailError("CANCELLED", `agent ${step.agentId} fell silent`, { cause: IDLE })),
  });
  const turn = publishTurn({ ...options, agentId: step.agentId });
  const end = (reason: FramerailError) => void turn.latch(outcomeOfError(reason), reason);
  const cancelDeadline = clock.schedule(options.deadlineMs ?? STEP_DEADLINE_MS, () =>
    end(new FramerailError("DEADLINE_EXCEEDED", `agent ${step.agentId} took too long`)),
  );
  const { timeMs } = options;
  const cancelLimit =
    timeMs === undefined
      ? () => undefined
      : clock.schedule(timeMs, () => {
          const reason = new FramerailError("CANCELLED", "the time that the caller gave is over");
          turn.latch({ kind: "paused", limit: "time_limit" }, reason);
        });
  const run = runStep(turn, new TurnContext(turn, idle, options.budget), options);
  const ended = finish(turn, run, options, () => {
    idle.close();
    cancelDeadline();
    cancelLimit();
  });
  return {
    ended,
    cancel(why = "request") {
      end(new FramerailError("CANCELLED", "the turn was cancelled", why === "idle" ? { cause: IDLE } : {}));
    },
    stop: () => end(new FramerailError("DRAINING", "the process stops")),
    fail(reason) {
      if (turn.latch(outcomeOfError(reason), reason)) tellFailure(options, reason);
    },
  };
}

/** What the step is given of its turn. */
class TurnContext implements StepContext {
  readonly budget: CallBudget | undefined;
  readonly #turn: TurnPublication;
  readonly #idle: IdleWatch;

  constructor(turn: TurnPublication, idle: IdleWatch, budget: CallBudget | undefined) {
    [this.#turn, this.#idle, this.budget] = [turn, idle, budget];
  }

  get signal(): AbortSignal {
    return this.#turn.signal;
  }

  accept(event: AgentEvent, emitter: string): void {
    this.#turn.accept(event, emitter);
  }

  ready(): Promise<void> {
    return this.#idle.whileHeld(this.#turn.ready());
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

async function finish(
  turn: TurnPublication,
  run: Promise<void>,
  options: RunTurnOptions,
  closeTimers: () => void,
): Promise<TurnOutcome> {
  await whenLatched(turn, run);
  closeTimers();
  await settle(run, options.clock);
  const outcome = turn.outcome as TurnOutcome;
  await options.commit?.(outcome, turn.terminal as EncodedFrame);
  await turn.seal();
  return outcome;
}

/** The step's own end latches, and so do a cancel, a violation and the deadline, while the step may still be running. */
function whenLatched(turn: TurnPublication, run: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      turn.signal.removeEventListener("abort", done);
      resolve();
    };
    turn.signal.addEventListener("abort", done);
    void run.then(done);
  });
}

function settle(run: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(SETTLE_MS_MAX, resolve);
    void run.then(() => {
      cancel();
      resolve();
    });
  });
}
