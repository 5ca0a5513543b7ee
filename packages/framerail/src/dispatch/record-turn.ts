// What is kept of a turn while it runs, for its one final commit: message, audit rows, usage rows, frames.
// Owns: the taps. Does not own: when a turn ends (run-turn.ts), the commit (store/turn-end.ts), the frames that are not yet
// stored (unstored-frames.ts).
//   K1. Taps see what the agent wrote, before policy: the message also has what clients are not shown [C-42].
//   K2. A tool's intent is in the journal before the tool runs: `ready` of the sink waits for it [D-5, G12].
//   K3. An answer that grows past ANSWER_LENGTH_MAX is told once, while it can still be stored: one that the store refuses
//       would leave its turn without an end [G1, G8].

import type { AgentEvent, Clock, TurnOutcome } from "@framerail/protocol";
import { createMessageAccumulator, isIncomplete, isTranscriptEventType, tokensUsed } from "@framerail/protocol";
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
  newId(): string;
  /** A piece could not be stored, and is tried again. */
  report?(error: unknown): void;
  /** The answer is as long as one may be (K3). */
  onFull?(): void;
}

export interface TurnRecord {
  readonly calls: TurnCalls;
  readonly tap: Tap;
  /** Where frames go. */
  readonly sink: UnstoredFrames;
  /** Everything of the turn that its final commit writes. */
  end(outcome: TurnOutcome, terminal: EncodedFrame): Promise<TurnEnd>;
}

export function recordTurn(options: RecordOptions): TurnRecord {
  const { turn, journal, clock, newId } = options;
  const { orgId, turnId, sessionId, conversationId, epoch } = turn;
  const startedAt = clock.now();
  const message = createMessageAccumulator({ runId: turnId, conversationId, startedAt });
  const audit = createTurnAudit({ sessionId, turnId, rootId: turnId, receivedAt: startedAt, newId });
  const frames = new UnstoredFrames(options);
  const calls = createTurnCalls(turnId);
  let position = 0;
  let length = 0;
  // K3
  const grow = (more: number) => {
    const wasFull = length > ANSWER_LENGTH_MAX;
    length += more;
    if (!wasFull && length > ANSWER_LENGTH_MAX) options.onFull?.();
  };
  return {
    calls,
    sink: frames,
    tap(event, emitter, at) {
      message.add(event, at);
      // The usual event, of which nothing else is kept.
      if (event.type === "text") {
        grow(event.content.length);
        return;
      }
      if (isTranscriptEventType(event.type)) grow(JSON.stringify(event).length);
      audit.take(event);
      if (event.type === "metrics") calls.tell(event, at);
      if (!JOURNALED.has(event.type)) return;
      position += 1;
      journal.append({ org_id: orgId, turn_id: turnId, epoch, position, after_seq: frames.lastSeq, emitter, event });
      // K2
      if (event.type === "tool_call") frames.holdFor(journal.settled());
    },
    async end(outcome, terminal) {
      const endedAt = clock.now();
      const incomplete = isIncomplete(outcome);
      const usage = calls.usage();
      const answer = message.text();
      const used = usage.total_tokens > 0 && { tokensUsed: tokensUsed(usage) };
      return {
        turnId,
        epoch,
        outcome,
        usage,
        message: message.finalize({ messageId: `msg_${newId()}`, endedAt, incomplete, ...used }),
        calls: calls.rows(),
        audit: audit.rows({ outcome, answer, endedAt }),
        segments: await frames.rest(),
        terminal: { seq: terminal.seq, sse: terminal.sse },
        firstFrameAt: startedAt,
        endedAt,
      };
    },
  };
}
