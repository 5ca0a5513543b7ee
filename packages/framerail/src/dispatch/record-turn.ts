// What is kept of a turn while it runs, for its one final commit: message, audit rows, usage rows, frames.
// Owns: the tap. Does not own: when a turn ends (run-turn.ts), the commit (store/turn-end.ts), the frames that are not yet
// stored (unstored-frames.ts).
//   K1. The tap sees what the agent wrote, before policy: the message also has what clients are not shown [C-42].
//   K2. A tool's intent is in the journal before the tool runs: `ready` of the sink waits for it [D-5, G12].
//   K3. An answer that grows past ANSWER_LENGTH_MAX is told once, while it can still be stored: one that the store refuses
//       would leave its turn without an end [G1, G8].

import type { AgentEvent, Clock, FramerailError, TurnOutcome } from "@framerail/protocol";
import {
  createMessageAccumulator,
  isFramerailError,
  isIncomplete,
  isTranscriptEventType,
  tokensUsed,
} from "@framerail/protocol";
import type { TurnAudit } from "../ledger/turn-audit.js";
import { createTurnAudit } from "../ledger/turn-audit.js";
import type { TurnCalls } from "../ledger/turn-calls.js";
import { createTurnCalls } from "../ledger/turn-calls.js";
import type { EncodedFrame } from "../log/frame-sink.js";
import type { TurnAppender } from "../log/turn-log.js";
import type { Tap } from "../publish/publish-turn.js";
import type { Database } from "../store/database.js";
import type { Journal } from "../store/journal.js";
import type { TurnEnd } from "../store/turn-end.js";
import { ANSWER_LENGTH_MAX } from "./limits.js";
import { TurnMessage } from "./turn-message.js";
import { UnstoredFrames } from "./unstored-frames.js";

/** What the wire does not carry whole, and what is never on it. */
const JOURNALED: ReadonlySet<AgentEvent["type"]> = new Set([
  "tool_call",
  "tool_result",
  "component",
  "metrics",
  "support_content",
  "node_enter",
  "node_exit",
]);

export interface RecordedTurn {
  readonly orgId: string;
  readonly turnId: string;
  readonly sessionId: string;
  readonly conversationId: string;
  readonly epoch: number;
}

export interface RecordOptions {
  readonly turn: RecordedTurn;
  /** Opened for frames that are stored. */
  readonly log: TurnAppender;
  readonly database: Database;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Whether policy shows text, all of it and as it is: then its frames have it. */
  readonly showsText: boolean;
  newId(): string;
  /** A piece could not be stored, and is tried again. */
  report?(error: unknown): void;
  /** The answer is as long as one may be (K3). */
  onFull?(): void;
  /** The journal did not take a tool's intent: the tool must not run (K2). */
  onUnkept?(error: FramerailError): void;
}

export class TurnRecord implements Tap {
  readonly calls: TurnCalls;
  /** Where frames go. */
  readonly sink: UnstoredFrames;
  readonly #options: RecordOptions;
  readonly #message: TurnMessage;
  readonly #showsText: boolean;
  readonly #audit: TurnAudit;
  readonly #startedAt: number;
  #position = 0;
  #length = 0;

  constructor(options: RecordOptions) {
    const { turnId, sessionId, conversationId } = options.turn;
    const startedAt = options.clock.now();
    this.#options = options;
    this.#startedAt = startedAt;
    this.#showsText = options.showsText;
    this.#message = new TurnMessage(
      createMessageAccumulator({ runId: turnId, conversationId, startedAt }),
      options.showsText,
    );
    const { newId } = options;
    this.#audit = createTurnAudit({ sessionId, turnId, rootId: turnId, receivedAt: startedAt, newId });
    this.sink = new UnstoredFrames(options);
    this.calls = createTurnCalls(turnId);
  }

  take(event: AgentEvent, emitter: string, at: number): void {
    // The usual event, of which nothing is kept where its frame has it.
    if (event.type === "text") {
      if (!this.#showsText) this.#message.say(event, at);
      this.#grow(event.content.length);
      return;
    }
    if (isTranscriptEventType(event.type)) {
      this.#grow(this.#message.add(event, this.sink.lastSeq, at));
    }
    this.#audit.take(event);
    if (event.type === "metrics") this.calls.tell(event, at);
    if (JOURNALED.has(event.type)) this.#journal(event, emitter);
  }

  /** Everything of the turn that its final commit writes. */
  async end(outcome: TurnOutcome, terminal: EncodedFrame): Promise<TurnEnd> {
    const { turn, clock, newId } = this.#options;
    const endedAt = clock.now();
    const incomplete = isIncomplete(outcome);
    const usage = this.calls.usage();
    const segments = await this.sink.rest();
    const message = await this.#message.whole(this.sink.all(), this.sink.lastSeq);
    const answer = message.text();
    const used = usage.total_tokens > 0 && { tokensUsed: tokensUsed(usage) };
    return {
      turnId: turn.turnId,
      epoch: turn.epoch,
      outcome,
      usage,
      message: message.finalize({ messageId: `msg_${newId()}`, endedAt, incomplete, ...used }),
      calls: this.calls.rows(),
      audit: this.#audit.rows({ outcome, answer, endedAt }),
      segments,
      terminal: { seq: terminal.seq, sse: terminal.sse },
      firstFrameAt: this.#startedAt,
      endedAt,
    };
  }

  // K3
  #grow(more: number): void {
    const wasFull = this.#length > ANSWER_LENGTH_MAX;
    this.#length += more;
    if (!wasFull && this.#length > ANSWER_LENGTH_MAX) this.#options.onFull?.();
  }

  #journal(event: AgentEvent, emitter: string): void {
    const { turn, journal, onUnkept } = this.#options;
    const { orgId: org_id, turnId: turn_id, epoch } = turn;
    this.#position += 1;
    const [position, after_seq] = [this.#position, this.sink.lastSeq];
    try {
      journal.append({ org_id, turn_id, epoch, position, after_seq, emitter, event });
      // K2
      if (event.type === "tool_call") this.sink.holdFor(journal.settled());
    } catch (error) {
      if (event.type === "tool_call" && isFramerailError(error)) onUnkept?.(error);
      throw error;
    }
  }
}
