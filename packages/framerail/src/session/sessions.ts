// Sessions as callers know them: opened, looked at, ended.
// Owns: their documents, and the ids they are opened with. Does not own: rows and statuses (store/sessions.ts), turns.
//   S1. A caller who is a user sees its own sessions, one who speaks for the tenant sees all of the tenant's; for anybody
//       else there is none [D-13].

import type { Json } from "@framerail/protocol";
import type { Database } from "../store/database.js";
import { ensureOrganization } from "../store/organizations.js";
import type { Session, SessionStatus } from "../store/sessions.js";
import { createSession, readSession, terminateSession } from "../store/sessions.js";

/** On whose behalf something is asked. */
export interface Asker {
  readonly tenantId: string;
  /** Undefined: for the tenant itself (S1). */
  readonly userId: string | undefined;
}

export interface SessionWanted {
  readonly agentId: string;
  readonly userId: string;
  readonly conversationId?: string;
  readonly locale?: string;
  readonly metadata?: { readonly [key: string]: Json };
}

export interface SessionDocument {
  readonly session_id: string;
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly user_id: string;
  readonly status: SessionStatus;
  readonly locale: string | null;
  readonly metadata: { readonly [key: string]: Json };
  readonly created_at: number;
  readonly updated_at: number;
}

export interface Sessions {
  /** Throws NOT_FOUND for a conversation that is not the user's. */
  open(tenantId: string, wanted: SessionWanted): Promise<SessionDocument>;
  /** Throws NOT_FOUND (S1); so does the next. */
  read(asker: Asker, sessionId: string): Promise<SessionDocument>;
  /** Ends the session for good; a turn that runs in it goes on to its own end. */
  terminate(asker: Asker, sessionId: string): Promise<SessionDocument>;
}

export function createSessions(database: Database, newId: () => string): Sessions {
  return {
    open: (tenantId, { agentId, userId, conversationId, locale, metadata }) =>
      database.asTenant(tenantId, async (sql) => {
        await ensureOrganization(sql, tenantId);
        const session = await createSession(sql, {
          id: newId(),
          conversation: { id: conversationId ?? newId(), isNew: conversationId === undefined },
          agentId,
          userId,
          ...(locale !== undefined && { locale }),
          ...(metadata !== undefined && { metadata }),
        });
        return documentOf(session);
      }),
    async read({ tenantId, userId }, sessionId) {
      return documentOf(await database.asTenant(tenantId, (sql) => readSession(sql, { sessionId, userId })));
    },
    async terminate({ tenantId, userId }, sessionId) {
      return documentOf(await database.asTenant(tenantId, (sql) => terminateSession(sql, { sessionId, userId })));
    },
  };
}

function documentOf(session: Session): SessionDocument {
  const { id, conversationId, agentId, userId, status, locale, metadata, createdAt, updatedAt } = session;
  return {
    session_id: id,
    conversation_id: conversationId,
    agent_id: agentId,
    user_id: userId,
    status,
    locale,
    metadata,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
