// Turns as fast as a store takes them, one after the other, each act told only once it is acknowledged; and what must be
// true of all of them afterwards, whatever was killed meanwhile.

import { randomUUID } from "node:crypto";
import type { AuditRow } from "../audit.js";
import type { Database } from "../database.js";
import { packFrames } from "../frame-segment.js";
import { createJournal } from "../journal.js";
import { renewLease } from "../leases.js";
import type { SqlDriver } from "../sql.js";
import { AS_CONNECTED } from "../sql.js";
import { storeSegment } from "../store-pieces.js";
import type { TurnEnd } from "../turn-end.js";
import { commitTurnEnd } from "../turn-end.js";
import { readFrames } from "../turn-frames.js";
import type { UsageRow } from "../usage.js";
import { AT, endOf, framesOf, sseOf, startTurn } from "./turn-fixtures.js";

export const ACTS = ["accepted", "journaled", "stored", "ended"] as const;
export type Act = (typeof ACTS)[number];
export type Tell = (act: Act, orgId: string, turnId: string) => void;

/** One turn from claim to end: two journal rows, three frames stored while it runs, three more and the terminal at its end. */
export async function playTurn(database: Database, orgId: string, tell: Tell): Promise<void> {
  const turn = await startTurn(database, orgId);
  const { turnId, owner } = turn;
  tell("accepted", orgId, turnId);
  await renewLease(database, owner, 3_000);
  const journal = createJournal({ database });
  for (const position of [1, 2])
    journal.append({
      org_id: orgId,
      turn_id: turnId,
      epoch: 1,
      position,
      after_seq: 0,
      emitter: "assistant",
      event: { type: "text", content: `piece ${position}` },
    });
  await journal.settled();
  tell("journaled", orgId, turnId);
  await storeSegment(database, { orgId, turnId, epoch: 1 }, await packFrames(framesOf(turnId, 1, 3)));
  tell("stored", orgId, turnId);
  await commitTurnEnd(database, orgId, await endOfLoad(turn));
  tell("ended", orgId, turnId);
}

export async function endOfLoad(turn: { turnId: string; sessionId: string; conversationId: string }): Promise<TurnEnd> {
  const { turnId, sessionId } = turn;
  const call: UsageRow = {
    turnId,
    call: 1,
    model: "gpt-5.2",
    inputTokens: 5,
    outputTokens: 3,
    reasoningTokens: 0,
    cachedTokens: 0,
    costUsd: "0.000000001",
    ttftMs: 1,
    totalMs: 2,
    estimated: false,
    occurredAt: AT,
  };
  const completion: AuditRow = {
    id: randomUUID(),
    sessionId,
    turnId,
    actionType: "message_completed",
    parentId: turnId,
    detail: { final_response: "the answer" },
    durationMs: 700,
    occurredAt: AT + 700,
  };
  return endOf(turn, {
    calls: [call],
    audit: [completion],
    segments: [await packFrames(framesOf(turnId, 4, 6))],
    terminal: { seq: 7, sse: sseOf(turnId, 7, "completed", {}) },
  });
}

/** How far each turn came in the database, and whether everything that belongs to that is there. */
const STATES = `select id as turn_id, status, users = 1 and roots = 1 as accepted, journal = 2 as journaled,
    pieces >= 1 as stored, answers = 1 and calls = 1 and completions = 1 and pieces = 2 and last_seq = 7 as ended,
    users + roots + journal + pieces + answers + calls + completions as rows
  from turns t,
    lateral (select count(*) filter (where role = 'user') as users, count(*) filter (where role = 'assistant') as answers
      from messages m where m.org_id = t.org_id and m.run_id = t.id) m,
    lateral (select count(*) filter (where parent_id is null) as roots, count(*) filter (where parent_id is not null)
      as completions from agent_audit_log a where a.org_id = t.org_id and a.turn_id = t.id) a,
    lateral (select count(*) as journal from turn_events e where e.org_id = t.org_id and e.turn_id = t.id) e,
    lateral (select count(*) as pieces from turn_frames f where f.org_id = t.org_id and f.turn_id = t.id) f,
    lateral (select count(*) as calls from llm_usage_events u where u.org_id = t.org_id and u.turn_id = t.id) u`;

interface State extends Readonly<Record<Act, boolean>> {
  readonly turn_id: string;
  readonly status: "dispatching" | "running" | "ended";
  readonly rows: number;
}

const isWhole = ({ status, accepted, ended, rows }: State) =>
  status === "ended" ? accepted && ended && rows === 9 : status === "running" ? accepted && rows <= 5 : rows === 0;

/** What was told and is not there, and turns that are half something. Both are empty, or the store has lied. */
export async function findLies(driver: SqlDriver, told: readonly string[]): Promise<string[]> {
  const states = new Map<string, State>();
  for (const state of await driver.once<State>(AS_CONNECTED, { text: STATES })) states.set(state.turn_id, state);
  const lies = told.filter((line) => {
    const [act, , turnId = ""] = line.split(" ");
    return states.get(turnId)?.[act as Act] !== true;
  });
  const halves = [...states.values()].filter((state) => !isWhole(state));
  return [...lies, ...halves.map((state) => JSON.stringify(state))];
}

/** Whether every frame of these ended turns reads back byte by byte. */
export async function haveTheirFrames(database: Database, told: readonly string[]): Promise<boolean> {
  for (const line of told) {
    const [act, orgId = "", turnId = ""] = line.split(" ");
    if (act !== "ended") continue;
    const { frames } = await readFrames(database, orgId, turnId, 0);
    const expected = [...framesOf(turnId, 1, 6), { seq: 7, sse: sseOf(turnId, 7, "completed", {}) }];
    if (JSON.stringify(frames) !== JSON.stringify(expected)) return false;
  }
  return true;
}
