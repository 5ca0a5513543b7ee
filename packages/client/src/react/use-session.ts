// A session in a component: its turns since it was mounted, the state of the last one, and what a form needs.
//   H1. Rendering asks nothing of the server: a session is opened by its first message.
//   H2. Another client, agent, user, conversation or session id is another session; the turns of the one before are no
//       longer shown, and run on.
//   H3. Two sends in one event are two turns, in order; what a send throws, its caller gets.

import { useCallback, useMemo, useState } from "react";
import type { Client } from "../client.js";
import type { KnownSession, NewSession, SendOptions, Session } from "../session.js";
import type { Turn, TurnState } from "../turn.js";
import { useTurn } from "./use-turn.js";

export interface UsedSession {
  readonly session: Session;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** The last one. */
  readonly turn: Turn | undefined;
  readonly state: TurnState | undefined;
  send(message: string, options?: SendOptions): Turn;
}

export function useSession(client: Client, target: NewSession | KnownSession): UsedSession {
  // An object literal is new with every render; what it says is not (H2).
  const key = JSON.stringify(target);
  const session = useMemo(() => client.session(JSON.parse(key) as NewSession | KnownSession), [client, key]);
  const [sent, setSent] = useState<{ readonly session: Session; readonly turns: readonly Turn[] }>();
  const turns = sent?.session === session ? sent.turns : NONE;
  const turn = turns.at(-1);
  const state = useTurn(turn);
  const send = useCallback(
    (message: string, options?: SendOptions) => {
      const next = session.send(message, options);
      setSent((before) => ({ session, turns: before?.session === session ? [...before.turns, next] : [next] }));
      return next;
    },
    [session],
  );
  return { session, turns, turn, state, send };
}

const NONE: readonly Turn[] = [];
