// On whose word an action happens: asked before it does, and told afterwards.
// Owns: the refusals, the names under which actions are asked for. Does not own: how chains are made (store/audit.ts).

import { FramerailError } from "@framerail/protocol";
import type { ActionType, AuditedAction, ChainLink } from "../store/audit.js";
import { ACTION_TYPES, invalidProvenance, readActions, readChain } from "../store/audit.js";
import type { Database } from "../store/database.js";
import type { Sql } from "../store/sql.js";
import { isUuid } from "../store/uuid.js";

export interface ActionRef {
  readonly sessionId: string;
  readonly actionId: string;
}

/** Older names, still asked for [I-14]. */
const ALIASES: Readonly<Record<string, ActionType>> = { session_message_completed: "message_completed" };

/**
 * To be asked before an action is done: its parent must be an action of the same session and tenant. Gives the parent's
 * chain; throws PROVENANCE_INVALID, and then the action must not be done [R-7-3].
 */
export async function requireParent(sql: Sql, { sessionId, actionId }: ActionRef): Promise<readonly ChainLink[]> {
  const chain = isUuid(actionId) && isUuid(sessionId) ? await readChain(sql, sessionId, actionId) : undefined;
  if (chain === undefined) throw invalidProvenance();
  return chain;
}

/** From the message that started it down to the action [R-7-2]. Throws NOT_FOUND. */
export async function readProvenance(
  database: Database,
  orgId: string,
  { sessionId, actionId }: ActionRef,
): Promise<readonly ChainLink[]> {
  const known = isUuid(actionId) && isUuid(sessionId);
  const chain = known ? await database.asTenant(orgId, (sql) => readChain(sql, sessionId, actionId)) : undefined;
  if (chain === undefined) throw new FramerailError("NOT_FOUND", "the session has no such action");
  return chain;
}

/** A session's actions of one type, by its name or an older one. Throws INVALID_ARGUMENT for a name that never was. */
export function listActions(sql: Sql, sessionId: string, name?: string): Promise<AuditedAction[]> {
  return readActions(sql, sessionId, name === undefined ? undefined : actionTypeOf(name));
}

function actionTypeOf(name: string): ActionType {
  const type = Object.hasOwn(ALIASES, name) ? ALIASES[name] : ACTION_TYPES.find((known) => known === name);
  if (type === undefined) throw new FramerailError("INVALID_ARGUMENT", "an action type must be one that is audited");
  return type;
}
