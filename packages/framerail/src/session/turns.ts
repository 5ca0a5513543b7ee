// Turns as callers know them: the document of one, and its stored frames.
// Owns: what a caller is told of a turn. Does not own: running one (dispatch/), frames that only the log has (log/).
//   T1. A turn that is not the caller's does not exist for it; neither does one that never began [D-13].
//   T2. While a turn runs, how far it is stands in the log; the document takes it from there.

import type { TurnOutcome, Usage } from "@framerail/protocol";
import type { Database } from "../store/database.js";
import type { Message } from "../store/messages.js";
import { readTurnMessages } from "../store/messages.js";
import type { FramePage } from "../store/turn-frames.js";
import { readFrames } from "../store/turn-frames.js";
import type { TurnRow } from "../store/turns.js";
import { readTurn } from "../store/turns.js";
import { isUuid } from "../store/uuid.js";
import type { Asker } from "./sessions.js";

export type { TurnRow };

export interface TurnDocument {
  readonly turn_id: string;
  readonly session_id: string;
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly status: "running" | "ended";
  readonly outcome: OutcomeDocument | null;
  readonly usage: Usage | null;
  readonly created_at: number;
  readonly first_frame_at: number | null;
  readonly ended_at: number | null;
  readonly last_seq: number;
  /** Where a reader who has seen everything so far goes on. */
  readonly cursor: string;
  /** The answer, once the turn has ended. */
  readonly message: Message | null;
}

export interface OutcomeDocument {
  readonly kind: TurnOutcome["kind"];
  readonly code?: string;
  readonly has_more: boolean;
}

export interface Turns {
  /** Undefined for a turn that is not the caller's (T1). One that is still being dispatched is found too. */
  find(asker: Asker, turnId: string): Promise<TurnRow | undefined>;
  /** `logged`: how far the turn is by its log, where that knows it (T2). */
  describe(tenantId: string, turn: TurnRow, logged?: { epoch: number; lastSeq: number }): Promise<TurnDocument>;
  frames(tenantId: string, turnId: string, afterSeq: number): Promise<FramePage>;
}

export function createTurns(database: Database): Turns {
  return {
    async find({ tenantId, userId }, turnId) {
      if (!isUuid(turnId)) return undefined;
      const row = await readTurn(database, tenantId, turnId, userId);
      return row?.status === "refused" ? undefined : row;
    },
    async describe(tenantId, turn, logged) {
      const hasEnded = turn.status === "ended";
      const messages = hasEnded ? await database.asTenant(tenantId, (sql) => readTurnMessages(sql, turn.turn_id)) : [];
      const { epoch, lastSeq } = hasEnded || !logged ? { epoch: turn.epoch, lastSeq: turn.last_seq } : logged;
      return {
        turn_id: turn.turn_id,
        session_id: turn.session_id,
        conversation_id: turn.conversation_id,
        agent_id: turn.agent_id,
        status: hasEnded ? "ended" : "running",
        outcome: turn.outcome === null ? null : outcomeOf(turn.outcome),
        usage: turn.usage,
        created_at: turn.created_at,
        first_frame_at: turn.first_frame_at,
        ended_at: turn.ended_at,
        last_seq: lastSeq,
        cursor: `${turn.turn_id}.${epoch}.${lastSeq}`,
        message: messages.find(({ role }) => role === "assistant") ?? null,
      };
    },
    frames: (tenantId, turnId, afterSeq) => readFrames(database, tenantId, turnId, afterSeq),
  };
}

function outcomeOf(outcome: TurnOutcome): OutcomeDocument {
  const code = "error" in outcome ? outcome.error.code : "code" in outcome ? outcome.code : undefined;
  return { kind: outcome.kind, ...(code !== undefined && { code }), has_more: outcome.kind === "paused" };
}
