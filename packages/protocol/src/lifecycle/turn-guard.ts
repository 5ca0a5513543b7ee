// The guard of one turn: the order of its frames, its pairs of tools, and its one end. Called for every frame between
// policy and log; on a text frame it costs two look-ups and allocates nothing.
// Owns: whether a frame may go out, and what must go out to end the turn. Does not own: when a turn ends, and storing it.
//   U1. A turn ends once: `end` gives its last frames to the first caller and nothing to any other [W-FR-9a, W-FR-9b].
//   U2. After the end, or after a violation, every frame is `late`; only `end` is left to call.
//   U3. `tool_completed` without its `tool_call`, or a second `tool_call` of one id, is a violation [W-AC-9].
//       A call that its phase refuses opens no pair: what no client was told of is not closed either.
//   U4. What ends a turn closes its running tools first [I-23]; a terminal that comes while tools run, in a recorded
//       stream for instance, is a violation.

import type { Draft } from "../event/to-frame.js";
import type { FrameType, PayloadOf } from "../frame/vocabulary.js";
import { StreamGuard } from "./guard.js";
import type { TurnOutcome } from "./outcome.js";
import { createTerminalLatch, outcomeOfTerminal, terminalFrameOf } from "./outcome.js";
import type { Phase, Verdict } from "./phase.js";
import type { ViolationDetails } from "./spec.js";
import type { ToolPairs, ToolRef } from "./tool-pairs.js";
import { createToolPairs } from "./tool-pairs.js";
import { turnClassOf, turnSpec } from "./turn-spec.js";

export interface TurnGuard {
  readonly phase: Phase;
  /** How the turn ended; undefined while it runs. */
  readonly outcome: TurnOutcome | undefined;
  admit<T extends FrameType>(type: T, payload: PayloadOf<T>): Verdict;
  /** The frames that end the turn: one closer per running tool, then the terminal. Empty for every call but the first. */
  end(outcome: TurnOutcome, runningTools?: "cancelled" | "unknown"): Draft[];
  violation(): ViolationDetails | undefined;
}

export function createTurnGuard(): TurnGuard {
  return new Guard();
}

class Guard extends StreamGuard implements TurnGuard {
  /** Made for the first tool: most turns that wait have called none. */
  #tools: ToolPairs | undefined;
  readonly #latch = createTerminalLatch();
  #brokenPair: ViolationDetails | undefined;

  constructor() {
    super(turnSpec.route);
  }

  get outcome(): TurnOutcome | undefined {
    return this.#latch.outcome;
  }

  admit<T extends FrameType>(type: T, payload: PayloadOf<T>): Verdict {
    if (this.phase === "terminal") return "late";
    switch (type) {
      case "tool_call":
      case "tool_completed":
        return this.#admitTool(type, (payload as PayloadOf<"tool_call">).tool_call);
      case "error":
      case "completed":
      case "cancelled":
        return this.#admitTerminal({ type, payload } as unknown as Draft);
      default:
        return this.step(type, turnClassOf(type, false));
    }
  }

  end(outcome: TurnOutcome, status: "cancelled" | "unknown" = "cancelled"): Draft[] {
    if (!this.#latch.take(outcome)) return [];
    const terminal = terminalFrameOf(outcome);
    this.step(terminal.type, turnClassOf(terminal.type, true));
    const closers = this.#running().map(({ id, name, type }): Draft => {
      return { type: "tool_completed", payload: { tool_call: { id, name, type, status } } };
    });
    return [...closers, terminal];
  }

  override violation(): ViolationDetails | undefined {
    return this.#brokenPair ?? super.violation();
  }

  #admitTool(type: "tool_call" | "tool_completed", tool: ToolRef): Verdict {
    const message = turnClassOf(type, false);
    // U3: the phase first.
    if (this.passes(message)) {
      if (type === "tool_call") {
        this.#tools ??= createToolPairs();
        if (!this.#tools.open(tool)) return this.#refuse(type, "tool_call repeats an id, or too many tools are open");
      } else if (!this.#tools?.close(tool)) {
        return this.#refuse(type, "tool_completed has no running tool_call like it");
      }
    }
    return this.step(type, message);
  }

  #admitTerminal(draft: Draft): Verdict {
    const outcome = outcomeOfTerminal(draft);
    if (outcome === undefined) return this.step(draft.type, turnClassOf(draft.type, false));
    if (this.#running().length > 0) return this.#refuse(draft.type, `${draft.type} ends the turn while tools run`);
    this.#latch.take(outcome);
    return this.step(draft.type, turnClassOf(draft.type, true));
  }

  #running(): ToolRef[] {
    return this.#tools?.running() ?? [];
  }

  #refuse(type: FrameType, message: string): Verdict {
    const details = { phase: this.phase, message_type: type, index: this.count };
    this.#brokenPair = { route: turnSpec.route, ...details, message };
    return this.step(type, 0);
  }
}
