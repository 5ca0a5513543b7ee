// Reads what a run left in its database, without a line of the product: plain statements, and zlib for the frames.
//   L1. A segment that cannot be unpacked is no reason to stop: it is read as empty, and the checker finds the gap.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import type { StoredMessage, StoredSegment, StoredTurn } from "./history.js";

const AGAIN_MS = 250;

type Row = Readonly<Record<string, unknown>>;
type Query = (text: string) => Promise<readonly Row[]>;

export async function loadFromPostgres(url: string): Promise<StoredTurn[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await loadTurns(async (text) => (await client.query<Row>(text)).rows);
  } finally {
    await client.end();
  }
}

/** The folder must be nobody's: its process is gone. */
export async function loadFromFolder(folder: string): Promise<StoredTurn[]> {
  const database = await PGlite.create({ dataDir: join(folder, "postgres") });
  try {
    return await loadTurns(async (text) => (await database.query<Row>(text)).rows);
  } finally {
    await database.close();
  }
}

/** Reads until no turn is open any more, for `ms` at most: what is open then is the checker's to judge. */
export async function untilSettled(load: () => Promise<StoredTurn[]>, ms: number): Promise<StoredTurn[]> {
  for (const until = performance.now() + ms; ; ) {
    const turns = await load();
    const isSettled = turns.every(({ status }) => status === "ended" || status === "refused");
    if (isSettled || performance.now() > until) return turns;
    await sleep(AGAIN_MS);
  }
}

async function loadTurns(query: Query): Promise<StoredTurn[]> {
  const turns = await query("select *, epoch::int, last_seq::int from turns order by created_at");
  const byTurn = async (text: string) => groupByTurn(await query(text));
  const frames = await byTurn("select * from turn_frames order by turn_id, first_seq");
  const messages = await byTurn("select *, run_id as turn_id from messages order by created_at, role desc");
  const usage = await byTurn("select turn_id, call, estimated from llm_usage_events order by call");
  const journal = await byTurn("select turn_id, epoch, position, type from turn_events order by epoch, position");
  const audit = await byTurn(
    "select turn_id, id, action_type, provenance_chain from agent_audit_log where turn_id is not null order by occurred_at",
  );
  const held = await byTurn("select turn_id, sum(tokens)::float8 as tokens from budget_reservations group by turn_id");
  return turns.map((row) => {
    const turnId = row.id as string;
    const of = (rows: ReadonlyMap<string, readonly Row[]>) => rows.get(turnId) ?? [];
    return {
      orgId: row.org_id as string,
      turnId,
      sessionId: row.session_id as string,
      conversationId: row.conversation_id as string,
      status: row.status as string,
      epoch: row.epoch as number,
      outcome: row.outcome as StoredTurn["outcome"],
      lastSeq: row.last_seq as number,
      terminal: row.terminal === null ? null : Buffer.from(row.terminal as Uint8Array).toString("utf8"),
      segments: of(frames).map(segmentOf),
      messages: of(messages).map(messageOf),
      usage: of(usage) as unknown as StoredTurn["usage"],
      journal: of(journal) as unknown as StoredTurn["journal"],
      audit: of(audit).map(({ id, action_type, provenance_chain }) => {
        return { id: id as string, actionType: action_type as string, chain: provenance_chain as unknown[] };
      }),
      reservedTokens: Number(of(held)[0]?.tokens ?? 0),
    };
  });
}

function groupByTurn(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const turnId = row.turn_id as string;
    groups.set(turnId, [...(groups.get(turnId) ?? []), row]);
  }
  return groups;
}

function segmentOf({ first_seq, last_seq, bytes }: Row): StoredSegment {
  return { firstSeq: first_seq as number, lastSeq: last_seq as number, sse: unpack(bytes as Uint8Array) };
}

/** Of a stored segment: its format and a checksum. */
const SEGMENT_HEAD_BYTES = 5;

// L1
function unpack(bytes: Uint8Array): string {
  try {
    return brotliDecompressSync(bytes.subarray(SEGMENT_HEAD_BYTES)).toString("utf8");
  } catch {
    return "";
  }
}

function messageOf({ role, content_items, incomplete }: Row): StoredMessage {
  const items = content_items as readonly { readonly type: string; readonly content?: string }[];
  const text = items.map(({ type, content = "" }) => (type === "message" ? content : "")).join("");
  return { role: role as string, text, incomplete: incomplete as boolean };
}
