// Ends a turn whose process is gone: what is left of it becomes its message, and it ends as failed [D-3, G1].
//   1. gather: the stored frames, those only the log has, the journal;
//   2. close: tools that ran are closed as unknown, and the terminal says INTERNAL_ERROR;
//   3. account: calls the journal tells, those that were begun and never told, reservations that are still open;
//   4. commit, like any other end.
// Owns: that order. Does not own: finding orphans (store/leases.ts), the log (its frames are handed in, and the last ones
// are handed back to be appended).
//   S1. What a reader has seen is in the message, and nothing is said to have been seen that was not.
//   S2. Sealed twice, by a sealer that died in between, a turn has one end: the commit is fenced.

import type { Clock, Draft, Frame, TurnOutcome } from "@framerail/protocol";
import {
  createFrameEncoder,
  createSseFraming,
  createTurnGuard,
  FramerailError,
  parseJson,
  readFrame,
  sseDataStart,
  tokensUsed,
} from "@framerail/protocol";
import { foldTurn } from "../history/fold-turn.js";
import { settleTurn } from "../ledger/budgets.js";
import { auditRowsOfTurn } from "../ledger/turn-audit.js";
import { replayTurnCalls } from "../ledger/turn-calls.js";
import type { Database } from "../store/database.js";
import type { StoredFrame } from "../store/frame-segment.js";
import { cutSegments, packFrames } from "../store/frame-segment.js";
import { readJournal } from "../store/journal.js";
import type { Orphan } from "../store/leases.js";
import { readOpenCalls } from "../store/open-calls.js";
import { commitTurnEnd } from "../store/turn-end.js";
import { readFrames } from "../store/turn-frames.js";
import { refuseTurn, stale } from "../store/turns.js";

export interface SealOptions {
  readonly database: Database;
  readonly clock: Clock;
  newId(): string;
  /** The frames of the turn that its log has, in order; those that are stored already may be among them. */
  readLog(orphan: Orphan): Promise<readonly StoredFrame[]>;
}

const CRASHED: TurnOutcome = {
  kind: "failed",
  error: { code: "INTERNAL_ERROR" },
  cause: "application",
};

/** Resolves to the frames that end the turn, for its log; none for a turn that was never accepted. */
export async function sealOrphan(orphan: Orphan, options: SealOptions): Promise<readonly StoredFrame[]> {
  const { database, clock, newId } = options;
  const { org_id: orgId, turn_id: turnId, session_id: sessionId, conversation_id: conversationId, epoch } = orphan;
  if (orphan.status === "dispatching") {
    await refuseTurn(database, orgId, turnId, epoch);
    return [];
  }
  const { stored, unstored } = await gather(orphan, options);
  const frames = [...stored, ...unstored].map(frameOf);
  const journal = await readJournal(database, orgId, turnId);
  const endedAt = clock.now();
  const closing = encodeEnd(orphan, frames, clock);
  const terminal = closing.at(-1);
  // Another sealer was faster, and its end is among the frames (S2).
  if (terminal === undefined) throw stale(turnId);
  const events = journal.map(({ event }) => event);
  const told = events.filter((event) => event.type === "metrics");
  const notes = await readOpenCalls(database, orgId, turnId);
  const calls = replayTurnCalls(turnId, { notes, told, at: endedAt });
  const usage = calls.usage();
  // From the first frame on, not from the claim: the message that is answered was written in between, and stands first.
  const startedAt = Math.min(frames[0] === undefined ? endedAt : Date.parse(frames[0].timestamp), endedAt);
  const message = foldTurn({ runId: turnId, conversationId, startedAt, frames, journal });
  const audited = { sessionId, turnId, rootId: turnId, receivedAt: startedAt, newId };
  const segments = cutSegments([...unstored, ...closing.slice(0, -1)]);
  await database.asTenant(orgId, (sql) => settleTurn(sql, turnId));
  await commitTurnEnd(database, orgId, {
    turnId,
    epoch,
    outcome: CRASHED,
    usage,
    message: message.finalize({
      messageId: `msg_${newId()}`,
      endedAt,
      tokensUsed: tokensUsed(usage),
      incomplete: true,
    }),
    calls: calls.rows(),
    audit: auditRowsOfTurn(audited, events, { outcome: CRASHED, answer: message.text(), endedAt }),
    segments: await Promise.all(segments.map(packFrames)),
    terminal,
    firstFrameAt: startedAt,
    endedAt,
  });
  return closing;
}

async function gather(orphan: Orphan, { database, readLog }: SealOptions) {
  const stored: StoredFrame[] = [];
  for (let more = true; more; ) {
    const page = await readFrames(database, orphan.org_id, orphan.turn_id, stored.at(-1)?.seq ?? 0);
    stored.push(...page.frames);
    more = page.more;
  }
  const after = stored.at(-1)?.seq ?? 0;
  const unstored = (await readLog(orphan)).filter(({ seq }) => seq > after);
  const gap = unstored.findIndex(({ seq }, index) => seq !== after + index + 1);
  // Readers got frames in order, so nobody has seen what stands behind a gap (S1).
  return { stored, unstored: gap === -1 ? unstored : unstored.slice(0, gap) };
}

function frameOf({ seq, sse }: StoredFrame): Frame {
  const reading = readFrame(parseJson(sse.slice(sseDataStart(sse), -2)));
  if (reading.kind === "frame") return reading.frame;
  throw new FramerailError("STORE_REFUSED", `stored frame ${seq} is of an unknown type`);
}

/** The frames that end the turn, as they go over the wire; none when it has ended. A turn without a frame gets its first too. */
function encodeEnd({ turn_id: turnId, epoch }: Orphan, frames: readonly Frame[], clock: Clock): StoredFrame[] {
  const guard = createTurnGuard();
  const drafts: Draft[] = frames.length === 0 ? [{ type: "response_id", payload: {} }] : [];
  for (const draft of drafts) guard.admit(draft.type, draft.payload);
  for (const frame of frames) guard.admit(frame.event_type, frame as never);
  drafts.push(...guard.end(CRASHED, "unknown"));
  const encoder = createFrameEncoder({ responseId: turnId, clock });
  const frameSse = createSseFraming({ idPrefix: `${turnId}.${epoch}.` });
  const { seq: after = 0, timestamp } = frames.at(-1) ?? {};
  // The clock of the process that is gone may have been ahead of ours, and times never go back [W-EV-20].
  const at = Math.max(clock.now(), timestamp === undefined ? 0 : Date.parse(timestamp));
  return drafts.map(({ type, payload }, index) => {
    const seq = after + index + 1;
    return { seq, sse: frameSse(type, seq, encoder.encode(type, seq, payload, at)) };
  });
}
