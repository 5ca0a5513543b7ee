// The client of one server: its sessions, turns, histories and agents.
// Owns: defaults, and putting the parts together. Does not own: anything that waits.

import type { Clock, WireVersion } from "@framerail/protocol";
import { FramerailError, WIRE_VERSION } from "@framerail/protocol";
import type { Api, Fetch } from "./api.js";
import { createApi } from "./api.js";
import { systemClock, systemNewId, systemRandom } from "./clock.js";
import type { AgentDocument, HistoryMessage } from "./documents.js";
import { LiveTurn } from "./live-turn.js";
import type { Page } from "./page.js";
import { browserPage } from "./page.js";
import type { Transport } from "./read-stream.js";
import type { KnownSession, NewSession, Session } from "./session.js";
import { createSession } from "./session.js";
import type { AskToken } from "./token.js";
import { createTokenSource } from "./token.js";
import type { Turn } from "./turn.js";
import type { ClientReport } from "./turn-connection.js";

export interface ClientOptions {
  /** Where the server is: `https://agents.example.com`, with or without a path. */
  readonly url: string;
  /** A token, or a function that has one; asked again when the server refuses what it gave. */
  readonly token?: string | AskToken | undefined;
  readonly transport?: Transport | undefined;
  /** The wire version to ask for. Frames are handed over in the words of 0.5 either way. */
  readonly version?: WireVersion | undefined;
  /** Lets state and outcome tell what an `error` frame says; off, because it is nothing for users [W-ERR-10]. */
  readonly showErrors?: boolean | undefined;
  readonly fetch?: Fetch | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
  /** Whether somebody sees the page; null to go on reading in any case. */
  readonly page?: Page | null | undefined;
  readonly onReport?: ((report: ClientReport) => void) | undefined;
}

export interface HistoryOptions {
  readonly limit?: number;
  /** Where an earlier page ended: its `before`. */
  readonly before?: string;
  readonly reasoning?: boolean;
  readonly signal?: AbortSignal;
}

export interface TurnPlace {
  /** The cursor of the last frame that was seen; absent: from the first frame on. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HistoryPage {
  /** Oldest first. */
  readonly messages: readonly HistoryMessage[];
  /** Leads to older messages; undefined when these are the oldest. */
  readonly before: string | undefined;
}

export interface Client {
  session(target: NewSession | KnownSession): Session;
  /** Reads a turn that exists, from its first frame or after a cursor; after a reload, for instance. */
  turn(turnId: string, options?: TurnPlace): Turn;
  history(conversationId: string, options?: HistoryOptions): Promise<HistoryPage>;
  agents(signal?: AbortSignal): Promise<readonly AgentDocument[]>;
}

export function createClient(options: ClientOptions): Client {
  const api = createApi({
    url: options.url,
    tokens: createTokenSource(options.token),
    // Looked up with every call, so that what is installed later counts.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  });
  const turn = {
    api,
    transport: options.transport ?? "sse",
    version: options.version ?? WIRE_VERSION,
    showErrors: options.showErrors ?? false,
    page: options.page === null ? undefined : (options.page ?? browserPage()),
    onReport: (report: ClientReport) => options.onReport?.(report),
  };
  return {
    session: (target) => createSession(target, { turn, newId: options.newId ?? systemNewId }),
    turn: (turnId, { after, signal } = {}) => new LiveTurn({ ...turn, target: { turnId, after }, signal }),
    history: (conversationId, wish = {}) => readHistory(api, conversationId, wish),
    async agents(signal) {
      const { value } = await api.insist({ path: "/v1/agents" }, signal);
      return requireList<AgentDocument>((Object(value) as { readonly agents?: unknown }).agents);
    },
  };
}

async function readHistory(api: Api, conversationId: string, wish: HistoryOptions): Promise<HistoryPage> {
  // By hand, as the reading below: React Native has a URLSearchParams that does neither.
  const { limit, before, reasoning } = wish;
  let path = `/v1/conversations/${encodeURIComponent(conversationId)}/messages?reasoning=${reasoning === true}`;
  if (limit !== undefined) path += `&limit=${limit}`;
  if (before !== undefined) path += `&before=${encodeURIComponent(before)}`;
  const { headers, value } = await api.insist({ path }, wish.signal);
  return { messages: requireList<HistoryMessage>(value), before: beforeOf(headers.get("link")) };
}

/** `</v1/…?before=x>; rel="prev"` */
function beforeOf(link: string | null): string | undefined {
  const [, before] = /<[^>]*[?&]before=([^>&]*)[^>]*>\s*;\s*rel="?prev"?/.exec(link ?? "") ?? [];
  return before && decodeURIComponent(before.replace(/\+/g, " "));
}

function requireList<T>(value: unknown): readonly T[] {
  if (!Array.isArray(value)) throw new FramerailError("MALFORMED_JSON", "the answer is no list");
  return value as T[];
}
