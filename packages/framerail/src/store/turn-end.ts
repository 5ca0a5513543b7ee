// The one commit that ends a turn: message, usage, audit, outcome, the frames not yet stored and the terminal frame's own
// bytes, or nothing of it [G4, C-8].
// Owns: that transaction, and what is known when its answer is lost. Does not own: what the end is (publish/), trying again
// while the database is away (dispatch/).
//   N1. Only the owner of the present epoch ends a turn, and only once; nothing else is written where that row is not.
//   N2. Asked again with the same end, it says so and changes nothing. So after a lost answer the caller asks again.

import type { AssistantMessage, TurnOutcome, Usage } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import type { AuditRow } from "./audit.js";
import { AUDIT_COLUMNS, auditValues, chainedRows, invalidProvenance } from "./audit.js";
import { notFound } from "./checked-value.js";
import type { Database } from "./database.js";
import type { FrameSegment, StoredFrame } from "./frame-segment.js";
import { toJsonb } from "./json.js";
import { messageValues, writeMessage } from "./messages.js";
import { closeCalls } from "./open-calls.js";
import type { SqlValue } from "./sql.js";
import { stale } from "./turns.js";
import type { UsageRow } from "./usage.js";
import { callOfNoTurn, writeUsage } from "./usage.js";

export interface TurnEnd {
  readonly turnId: string;
  readonly epoch: number;
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  readonly message: AssistantMessage;
  readonly calls: readonly UsageRow[];
  readonly audit: readonly AuditRow[];
  /** What was not stored in pieces before, without the terminal. */
  readonly segments: readonly FrameSegment[];
  readonly terminal: StoredFrame;
  readonly firstFrameAt: number;
  readonly endedAt: number;
}

/**
 * Commits the end. Resolves when it is in the database, by this call or by an earlier one whose answer was lost (N2).
 * Throws STALE_EPOCH when the turn is another's, and COMMIT_UNKNOWN or STORE_UNAVAILABLE when it is worth asking again.
 */
export async function commitTurnEnd(database: Database, orgId: string, end: TurnEnd): Promise<void> {
  const statement = { text: END, values: valuesOf(end) };
  try {
    const ended = await database.asTenant(orgId, statement);
    if (ended.length === 1) return;
  } catch (error) {
    if (!isFramerailError(error) || error.code !== "COMMIT_UNKNOWN") throw error;
    if ((await readStatus(database, orgId, end)) !== "ended") throw error;
    return;
  }
  const status = await readStatus(database, orgId, end);
  if (status === "ended") return;
  // A turn that is still ours was not ended, so what came with its end leads back to no message.
  throw status === "running" ? invalidProvenance() : stale(end.turnId);
}

/** How the turn stands in this epoch; undefined when it is another's. */
async function readStatus(database: Database, orgId: string, end: TurnEnd): Promise<string | undefined> {
  const [turn] = await database.asTenant<{ status: string; conversation_id: string }>(orgId, {
    text: "select status, conversation_id from turns where org_id = current_org() and id = $1 and epoch = $2",
    values: [end.turnId, end.epoch],
  });
  if (turn && turn.conversation_id !== end.message.conversation_id) throw notFound("turn of this conversation");
  return turn?.status;
}

// One statement, and so one trip to the database, because a turn's reader waits for it. All parts of it see the database
// as it was before: `ended` is empty where the turn is not ours or an action has no chain, and without it nothing is
// written (N1).
const END = `with chained as (${chainedRows("$21")}), ended as (
    update turns set status = 'ended', outcome = $12::jsonb, usage = $13::jsonb, last_seq = $14, terminal = $15,
        first_frame_at = $16, ended_at = $17
      where org_id = current_org() and id = $2 and conversation_id = $3 and epoch = $11 and status = 'running'
        and (select count(*) from chained) = $22
      returning org_id, id, session_id, agent_id
  ), frames as (
    insert into turn_frames (org_id, turn_id, epoch, first_seq, last_seq, bytes)
      select org_id, id, $11, first_seq, last_seq, substring($20::bytea from begins for weight)
        from ended, unnest($18::int[], $19::int[], $24::int[], $25::int[]) as segment (first_seq, last_seq, begins, weight)
  ), message as (${writeMessage("ended")}
  ), calls as (${writeUsage("$23", "ended")}
  ), closed as (${closeCalls("$2", "ended")}
  ), audit as (
    insert into agent_audit_log (${AUDIT_COLUMNS}) select ended.org_id, chained.* from ended, chained
      on conflict (org_id, id) do nothing
  ) select id from ended`;

function valuesOf({ message, terminal, segments, ...end }: TurnEnd): SqlValue[] {
  if (message.run_id !== end.turnId) throw notFound("turn of this conversation");
  if (end.calls.some(({ turnId }) => turnId !== end.turnId)) throw callOfNoTurn();
  return [
    ...messageValues(message),
    end.epoch,
    toJsonb(end.outcome),
    toJsonb(end.usage),
    terminal.seq,
    Buffer.from(terminal.sse),
    new Date(end.firstFrameAt),
    new Date(end.endedAt),
    segments.map(({ firstSeq }) => firstSeq),
    segments.map(({ lastSeq }) => lastSeq),
    // One after the other in one value: an array of bytes would go over the wire, and be read, as a text of digits.
    Buffer.concat(segments.map(({ bytes }) => bytes)),
    ...auditValues(end.audit),
    toJsonb(end.calls),
    segments.map((_, index) => segments.slice(0, index).reduce((sum, { bytes }) => sum + bytes.length, 1)),
    segments.map(({ bytes }) => bytes.length),
  ];
}
