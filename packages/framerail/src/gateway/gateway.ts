// What the edge is made of. Each part is handed in by whoever composes the program (cli/).

import type { Clock } from "@framerail/protocol";
import type { CancelOptions } from "../dispatch/cancel-turn.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import type { Presence } from "../dispatch/presence.js";
import type { History } from "../history/history.js";
import type { Ledger } from "../ledger/ledger.js";
import type { TurnLog } from "../log/turn-log.js";
import type { Sessions } from "../session/sessions.js";
import type { Turns } from "../session/turns.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { AuthFault } from "./auth/caller.js";
import type { OriginCheck } from "./auth/origin.js";
import type { StreamLimit } from "./auth/rate-limit.js";
import type { TicketStore } from "./auth/tickets.js";
import type { TurnStreamEnd } from "./stream/turn-stream.js";

export interface Gateway {
  readonly clock: Clock;
  readonly authenticate: Authenticate;
  readonly origins: OriginCheck;
  readonly tickets: TicketStore;
  /** Counts one request of a tenant; throws RATE_LIMITED. */
  requestLimit(tenantId: string): void;
  readonly streamLimit: StreamLimit;
  readonly sessions: Sessions;
  readonly turns: Turns;
  readonly history: History;
  readonly ledger: Ledger;
  readonly catalogue: Catalogue;
  readonly dispatcher: Dispatcher;
  readonly replicas: CancelOptions["replicas"];
  readonly presence: Presence;
  readonly log: TurnLog;
  /** Who talks in a session that a service opens without naming a user; without it, it must. */
  readonly localUser: string | undefined;
  readonly operations: Operations;
  readonly watch: EdgeWatch;
}

/** The agents and the status vocabulary of this deployment. */
export interface Catalogue {
  readonly agents: readonly {
    readonly agent_id: string;
    readonly emitters: readonly { readonly id: string; readonly emits: readonly string[] }[];
  }[];
  readonly registry: object;
  hasAgent(agentId: string): boolean;
}

export interface Operations {
  /** Rejects while this process should get no requests. */
  ready(): Promise<void>;
  /** Undefined where they are served on an address of their own. */
  metrics(): Promise<{ readonly type: string; readonly text: string } | undefined>;
  /** Files of the contract by name: frame schemas, asyncapi.json. */
  readonly contract: ReadonlyMap<string, string>;
}

/** Who counts what happens at the edge. */
export interface EdgeWatch {
  /** A request that was answered, when its response is over: also a stream that its reader left. */
  request(route: string, status: number, ms: number): void;
  /** An error that is ours: a 500 or worse. */
  failed(route: string, error: unknown): void;
  /** A request that was refused: its code, and what is wrong with the credential where that is why. */
  refused(code: string, fault?: AuthFault): void;
  /** Gives the function that is told how the reader went. */
  readerOpened(transport: "sse" | "ndjson"): (how: TurnStreamEnd | "left") => void;
}
