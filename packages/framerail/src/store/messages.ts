// The table `messages`: the documents of conversations [P-41, P-64].
// Owns: their way into rows and back. Does not own: how an answer is folded, and what of a history is shown (history/).
//   M1. One message of each role per turn: a second insert changes nothing, so that a commit may be tried twice [C-8].
//   M2. Times are whole milliseconds in and out [C-9], so a place in a history can be told exactly (Position).
//   M3. Messages of one millisecond are told apart by id [I-20], but a question always stands before an answer: a turn may
//       well begin in the millisecond in which it was asked for.
//   M4. A document that is wrong is refused before anything is written.

import type { AssistantMessage, UserMessage } from "@framerail/protocol";
import { checkMessage, FramerailError } from "@framerail/protocol";
import { notFound, requireSize, requireTime, requireUuid } from "./checked-value.js";
import { toJsonb } from "./json.js";
import type { Sql, SqlValue } from "./sql.js";
import { isUuid } from "./uuid.js";

export type Message = UserMessage | AssistantMessage;

/** The place of a message in its conversation. */
export type Position = Pick<Message, "created_at" | "role" | "_id">;

interface Row {
  readonly _id: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly role: "user" | "assistant";
  readonly content_items: Message["content_items"];
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly duration_ms: number;
  readonly tokens_used: AssistantMessage["tokens_used"] | null;
  readonly incomplete: boolean;
}

const COLUMNS = `id as "_id", conversation_id, run_id, role, content_items, created_at, completed_at, duration_ms,
  tokens_used, incomplete`;

/** False when the turn already has its message of this role (M1). Throws NOT_FOUND for a turn of another conversation. */
export async function insertMessage(sql: Sql, message: Message): Promise<boolean> {
  const [result] = await sql.query<{ known: boolean; written: boolean }>(INSERT, messageValues(message));
  if (!result?.known) throw notFound("turn of this conversation");
  return result.written;
}

/** $1 to $10 of writeMessage, once the message is known to be right (M4). */
export function messageValues(message: Message): SqlValue[] {
  const items = itemsOf(message);
  const answer = message.role === "assistant" ? message : undefined;
  return [
    message._id,
    requireUuid("run_id", message.run_id),
    requireUuid("conversation_id", message.conversation_id),
    message.role,
    items,
    requireTime("created_at", message.created_at),
    answer?.completed_at === undefined ? null : requireTime("completed_at", answer.completed_at),
    answer?.duration_ms ?? 0,
    answer?.tokens_used === undefined ? null : JSON.stringify(answer.tokens_used),
    message.incomplete,
  ];
}

/** Writes the message of messageValues, if there is a row in `turn`: the turn $2 of the conversation $3. */
export const writeMessage = (turn: string) => `
  insert into messages (org_id, id, conversation_id, run_id, role, content_items, created_at, completed_at,
    duration_ms, tokens_used, incomplete)
  select current_org(), $1, $3::uuid, $2::uuid, $4, $5::jsonb, $6::timestamptz, $7::timestamptz, $8::bigint, $9::jsonb,
    $10::boolean
  from ${turn}
  on conflict (org_id, run_id, role) do nothing`;

const INSERT = `with turn as (
    select from turns where org_id = current_org() and id = $2 and conversation_id = $3
  ), written as (${writeMessage("turn")} returning id)
  select exists (select from turn) as known, exists (select from written) as written`;

/** The newest messages before another one, newest first [P-44]. */
export async function readMessages(
  sql: Sql,
  page: { readonly conversationId: string; readonly before?: Position | undefined; readonly limit: number },
): Promise<Message[]> {
  const { conversationId, before, limit } = page;
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from messages
    where org_id = current_org() and conversation_id = $1 and created_at <= $2::timestamptz
      and (created_at < $2::timestamptz or role > $3 or (role = $3 and id < $4))
    order by created_at desc, role, id desc limit $5`,
    [conversationId, before ? new Date(before.created_at) : "infinity", before?.role ?? "", before?._id ?? "", limit],
  );
  return rows.map(toMessage);
}

/** What one turn said and was asked, in order [P-47]. */
export async function readTurnMessages(sql: Sql, runId: string): Promise<Message[]> {
  if (!isUuid(runId)) return [];
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from messages where org_id = current_org() and run_id = $1 order by role desc`,
    [runId],
  );
  return rows.map(toMessage);
}

/** [P-45] */
export async function countMessages(sql: Sql, conversationId: string): Promise<number> {
  if (!isUuid(conversationId)) return 0;
  const [row] = await sql.query<{ count: number }>(
    "select count(*) from messages where org_id = current_org() and conversation_id = $1",
    [conversationId],
  );
  return row?.count ?? 0;
}

/** The items as JSON, once the document is known to be right (M4). */
function itemsOf(message: Message): string {
  const issue = checkMessage(message);
  if (issue) throw new FramerailError("INVALID_ITEM", `a message cannot be stored: ${issue.message}`, { issue });
  return requireSize("content_items", toJsonb(message.content_items));
}

function toMessage({ completed_at, duration_ms, tokens_used, ...shared }: Row): Message {
  if (shared.role === "user") return shared as UserMessage;
  const { incomplete, ...start } = shared;
  return {
    ...start,
    ...(completed_at !== null && { completed_at }),
    duration_ms,
    ...(tokens_used !== null && { tokens_used }),
    incomplete,
  } as AssistantMessage;
}
