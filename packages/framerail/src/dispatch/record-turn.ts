// What is kept of a turn while it runs, for its one final commit: message, audit rows, usage rows, frames.
// Owns: the taps, the frames not yet stored. Does not own: when a turn ends (run-turn.ts), the commit (store/turn-end.ts).
//   K1. Taps see what the agent wrote, before policy: the message also has what clients are not shown [C-42].
//   K2. Frames pass through to the log and are kept beside it until they are stored: in pieces while the turn is long, the
//       rest with its end.
//   K3. A tool's intent is in the journal before the tool runs: `ready` waits for it [D-5, G12].

import type { AgentEvent, Clock, TurnOutcome, Usage } from "@framerail/protocol";
import { addUsage, createMessageAccumulator, isIncomplete, NO_USAGE, tokensUsed } from "@framerail/protocol";
import { createTurnAudit } from "../ledger/turn-audit.js";
import { usageRowOf } from "../ledger/usage-row.js";
import type { EncodedFrame, FrameSink } from "../log/frame-sink.js";
import type { Tap } from "../publish/publish-turn.js";
import type { Database } from "../store/database.js";
import type { StoredFrame } from "../store/frame-segment.js";
import { cutSegments, packFrames } from "../store/frame-segment.js";
import type { Journal } from "../store/journal.js";
import type { TurnEnd } from "../store/turn-end.js";
import { storeSegment } from "../store/turn-frames.js";
import type { UsageRow } from "../store/usage.js";
import { PIECE_BYTES } from "./limits.js";

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
  readonly sink: FrameSink;
  readonly database: Database;
  readonly journal: Journal;
  readonly clock: Clock;
  newId(): string;
  /** A piece could not be stored; the end stores it again. */
  report?(error: unknown): void;
}

export interface TurnRecord {
  readonly tap: Tap;
  readonly sink: FrameSink;
  /** Everything of the turn that its final commit writes. */
  end(outcome: TurnOutcome, terminal: EncodedFrame): Promise<TurnEnd>;
}

export function recordTurn(options: RecordOptions): TurnRecord {
  const { turn, journal, clock, newId } = options;
  const { orgId, turnId, sessionId, conversationId, epoch } = turn;
  const startedAt = clock.now();
  const message = createMessageAccumulator({ runId: turnId, conversationId, startedAt });
  const audit = createTurnAudit({ sessionId, turnId, rootId: turnId, receivedAt: startedAt, newId });
  const frames = new KeptFrames(options);
  const calls: UsageRow[] = [];
  let usage: Usage = NO_USAGE;
  let position = 0;
  return {
    sink: frames,
    tap(event, emitter, at) {
      message.add(event, at);
      audit.take(event);
      if (event.type === "metrics") {
        usage = addUsage(usage, event.tokens);
        calls.push(usageRowOf(event, { turnId, call: calls.length + 1, occurredAt: at }));
      }
      if (!JOURNALED.has(event.type)) return;
      position += 1;
      journal.append({ org_id: orgId, turn_id: turnId, epoch, position, after_seq: frames.lastSeq, emitter, event });
      if (event.type === "tool_call") frames.holdFor(journal.settled());
    },
    async end(outcome, terminal) {
      const endedAt = clock.now();
      const incomplete = isIncomplete(outcome);
      const used = usage.total_tokens > 0 && { tokensUsed: tokensUsed(usage) };
      return {
        turnId,
        epoch,
        outcome,
        usage,
        message: message.finalize({ messageId: `msg_${newId()}`, endedAt, incomplete, ...used }),
        calls,
        audit: audit.rows({ outcome, endedAt }),
        segments: await frames.rest(),
        terminal: { seq: terminal.seq, sse: terminal.sse },
        firstFrameAt: startedAt,
        endedAt,
      };
    },
  };
}

/** The sink of the turn, which is the log's, and the frames that the store does not have yet (K2). */
class KeptFrames implements FrameSink {
  readonly #options: RecordOptions;
  readonly #sink: FrameSink;
  #kept: StoredFrame[] = [];
  #bytes = 0;
  #storing: Promise<void> = Promise.resolve();
  #held: Promise<void> | undefined;
  lastSeq = 0;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#sink = options.sink;
  }

  get backlogBytes(): number {
    return this.#sink.backlogBytes;
  }

  append(frame: EncodedFrame): void {
    this.#sink.append(frame);
    this.lastSeq = frame.seq;
    this.#kept.push(frame);
    this.#bytes += frame.sse.length;
    if (this.#bytes >= PIECE_BYTES) this.#storePiece();
  }

  seal(terminal: EncodedFrame): Promise<void> {
    return this.#sink.seal(terminal);
  }

  ready(): Promise<void> {
    return this.#held ?? this.#sink.ready();
  }

  // K3
  holdFor(settled: Promise<void>): void {
    const held: Promise<void> = settled.then(() => {
      if (this.#held === held) this.#held = undefined;
      return this.#sink.ready();
    });
    this.#held = held;
  }

  async rest() {
    await this.#storing;
    return Promise.all(cutSegments(this.#kept).map(packFrames));
  }

  #storePiece(): void {
    const { turn, database, report } = this.#options;
    const piece = this.#kept;
    this.#kept = [];
    this.#bytes = 0;
    this.#storing = this.#storing.then(async () => {
      try {
        for (const segment of cutSegments(piece)) await storeSegment(database, turn, await packFrames(segment));
      } catch (error) {
        report?.(error);
        this.#kept = [...piece, ...this.#kept];
      }
    });
  }
}
