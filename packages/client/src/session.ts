// One user talking with one agent. Nothing is asked of the server before the first message.
//   S1. However many turns wait for it, one session is opened; the request ends when nobody waits for it any more.

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { Answer, Api, Call } from "./api.js";
import { leftError, untilAborted } from "./deadline.js";
import type { SessionDocument } from "./documents.js";
import { readSessionDocument } from "./documents.js";
import type { TurnOptions } from "./live-turn.js";
import { LiveTurn } from "./live-turn.js";
import type { Turn } from "./turn.js";

export interface NewSession {
  readonly agentId: string;
  /** Only a service may name another user than the one its token is for. */
  readonly userId?: string;
  readonly conversationId?: string;
  readonly locale?: string;
  readonly metadata?: Readonly<Record<string, Json>>;
}

export interface KnownSession {
  readonly sessionId: string;
}

export interface SendOptions {
  /** Aborting it detaches; to stop the turn, cancel it. */
  readonly signal?: AbortSignal;
  readonly limits?: { readonly timeMs?: number };
  readonly episodeId?: string;
  /** What becomes of the turn when nobody reads it; without a word it goes on [D-9]. */
  readonly onDisconnect?: { readonly action: "cancel" | "continue"; readonly graceMs?: number };
  /** A name of the caller's own for this send: the same name and message is the same turn, also after a reload. */
  readonly idempotencyKey?: string;
}

export interface Session {
  /** Undefined until it is open. */
  readonly sessionId: string | undefined;
  readonly conversationId: string | undefined;
  /** Opens it, if need be. */
  ready(signal?: AbortSignal): Promise<SessionDocument>;
  send(message: string, options?: SendOptions): Turn;
}

export interface SessionParts {
  readonly turn: Omit<TurnOptions, "target" | "signal">;
  newId(): string;
}

export function createSession(target: NewSession | KnownSession, { turn, newId }: SessionParts): Session {
  const { api } = turn;
  let sessionId = "sessionId" in target ? target.sessionId : undefined;
  let document: SessionDocument | undefined;
  const call = callOf(target);

  const read = ({ value }: Answer): SessionDocument => {
    // S1: where two were opened at once, the first answer is the session, for everybody.
    document ??= readSessionDocument(value);
    sessionId = document.session_id;
    return document;
  };
  const openOnce = shareRequest(api, call, read);

  return {
    get sessionId() {
      return sessionId;
    },
    get conversationId() {
      return document?.conversation_id ?? ("conversationId" in target ? target.conversationId : undefined);
    },
    async ready(signal) {
      return document ?? read(await api.insist(sessionId === undefined ? call : readCall(sessionId), signal));
    },
    send(message, options = {}) {
      const opening = {
        sessionId: async (signal: AbortSignal) => sessionId ?? (await openOnce(signal)).session_id,
        body: bodyOf(message, options),
        key: options.idempotencyKey ?? newId(),
      };
      return new LiveTurn({ ...turn, target: opening, signal: options.signal });
    },
  };
}

function readCall(sessionId: string): Call {
  return { path: `/v1/sessions/${encodeURIComponent(sessionId)}` };
}

function callOf(target: NewSession | KnownSession): Call {
  if ("sessionId" in target) return readCall(target.sessionId);
  const { agentId, userId, conversationId, locale, metadata } = target;
  const body = { agent_id: agentId, user_id: userId, conversation_id: conversationId, locale, metadata };
  return { method: "POST", path: "/v1/sessions", body };
}

function bodyOf(message: string, { limits, episodeId, onDisconnect }: SendOptions): object {
  if (typeof message !== "string" || message === "") {
    throw new FramerailError("INVALID_ARGUMENT", "a message is text, and not empty");
  }
  return {
    message,
    on_disconnect: { action: onDisconnect?.action ?? "continue", grace_ms: onDisconnect?.graceMs },
    limits: limits?.timeMs === undefined ? undefined : { time_ms: limits.timeMs },
    episode_id: episodeId,
  };
}

// S1
function shareRequest<T>(api: Api, call: Call, read: (answer: Answer) => T): (signal: AbortSignal) => Promise<T> {
  let shared: { readonly result: Promise<T>; readonly leaving: AbortController; waiting: number } | undefined;
  const begin = () => {
    const leaving = new AbortController();
    const result = api.ask(call, leaving.signal).then(read);
    return { result, leaving, waiting: 0 };
  };
  return async (signal) => {
    shared ??= begin();
    const mine = shared;
    mine.waiting += 1;
    try {
      return await untilAborted(signal, mine.result);
    } finally {
      mine.waiting -= 1;
      if (mine.waiting === 0) {
        // Over, or nobody's any more: the next one begins anew.
        mine.leaving.abort(leftError());
        if (shared === mine) shared = undefined;
      }
    }
  };
}
