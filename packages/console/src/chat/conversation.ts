// One conversation as it is open in this tab: its entries, the turn that runs, and sending.
// Owns: which turns are read and which are only shown. Does not own: frames and reconnecting (the client), what this
// browser remembers (stored-conversations.ts).
//   V1. The last turn is read from its first frame, whether it runs or has ended, so what a reload shows is what the
//       server has. Older turns are shown from history, and read when somebody wants to inspect them.
//   V2. A message is remembered before it goes, with its key and its session: a reload in between asks for the same turn,
//       and never begins a second one.
//   V3. Another tab's turn in this conversation is shown here too.
//   V4. Leaving a conversation leaves its turns running; it only stops reading them.

import type { Client, HistoryMessage, Session, Turn } from "@framerail/client";
import type { AssistantMessage } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import { HISTORY_LIMIT } from "../limits.js";
import type { ConversationStore, StoredConversation } from "../sessions/stored-conversations.js";
import { titleOf } from "../sessions/stored-conversations.js";

/** What the user said, and the answer: from history, or as a turn that is read. */
export interface Entry {
  readonly key: string;
  readonly message: string;
  readonly turnId: string | undefined;
  readonly turn: Turn | undefined;
  readonly answer: AssistantMessage | undefined;
  /** Why it never became a turn. */
  readonly refusal?: string;
}

export type HistoryState = "none" | "loading" | "loaded" | { readonly failed: string };

export interface ConversationState {
  readonly record: StoredConversation;
  readonly entries: readonly Entry[];
  readonly history: HistoryState;
  readonly hasOlder: boolean;
}

export interface Conversation {
  state(): ConversationState;
  subscribe(listener: () => void): () => void;
  send(message: string): void;
  /** From the next message on. */
  setLocale(locale: string): void;
  /** Reads the turn of an entry that history told. */
  replay(key: string): void;
  loadOlder(): Promise<void>;
  close(): void;
}

export interface ConversationOptions {
  readonly client: Client;
  readonly store: ConversationStore;
  readonly record: StoredConversation;
  newId(): string;
  now(): number;
}

export function openConversation(options: ConversationOptions): Conversation {
  const conversation = new OpenConversation(options);
  conversation.begin();
  return conversation;
}

class OpenConversation implements Conversation {
  readonly #options: ConversationOptions;
  readonly #listeners = new Set<() => void>();
  readonly #leave: (() => void)[] = [];
  readonly #closing = new AbortController();
  #record: StoredConversation;
  #entries: readonly Entry[] = [];
  #history: HistoryState = "none";
  #before: string | undefined;
  #state: ConversationState | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#record = options.record;
  }

  begin(): void {
    this.#leave.push(this.#options.store.subscribe(() => this.#followStore()));
    if (this.#record.conversationId === undefined) this.#takeUpLast("send");
    else void this.#loadHistory(this.#record.conversationId);
  }

  state(): ConversationState {
    this.#state ??= {
      record: this.#record,
      entries: this.#entries,
      history: this.#history,
      hasOlder: this.#before !== undefined,
    };
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(message: string): void {
    const key = this.#options.newId();
    const title = this.#record.title === "" ? titleOf(message) : this.#record.title;
    // V2
    this.#remember({ title, updatedAt: this.#options.now(), last: { key, message } });
    void this.#begin(key, message);
  }

  setLocale(locale: string): void {
    // A session keeps its language; another one goes on in the same conversation.
    const { sessionId: _, ...rest } = this.#record;
    this.#record = { ...rest, locale };
    this.#options.store.put(this.#record);
    this.#changed();
  }

  replay(key: string): void {
    this.#entries = this.#entries.map((entry) =>
      entry.key !== key || entry.turn !== undefined || entry.turnId === undefined
        ? entry
        : { ...entry, turn: this.#options.client.turn(entry.turnId) },
    );
    this.#changed();
  }

  async loadOlder(): Promise<void> {
    const { conversationId } = this.#record;
    if (conversationId === undefined || this.#before === undefined) return;
    const before = this.#before;
    this.#before = undefined;
    await this.#loadHistory(conversationId, before);
  }

  close(): void {
    this.#closing.abort();
    for (const leave of this.#leave.splice(0)) leave();
    // V4
    for (const { turn } of this.#entries) turn?.detach();
  }

  async #begin(key: string, message: string): Promise<void> {
    this.#entries = [...this.#entries, { key, message, turnId: undefined, turn: undefined, answer: undefined }];
    this.#changed();
    let session: Session;
    try {
      session = await this.#rememberSession(this.#openSession());
    } catch (error) {
      this.#refuse(key, error);
      return;
    }
    if (this.#closing.signal.aborted) return;
    const turn = session.send(message, { idempotencyKey: key });
    this.#renew(key, { turn });
    this.#leave.push(turn.subscribe(() => this.#followTurn(key, turn)));
  }

  // V2
  async #rememberSession(session: Session): Promise<Session> {
    if (session.sessionId !== undefined) return session;
    const { session_id: sessionId, conversation_id: conversationId } = await session.ready(this.#closing.signal);
    // A key is one turn within one session: where another tab was first with this message, its session is the one.
    const { client, store } = this.#options;
    const other = store.find(this.#record.id)?.sessionId;
    if (other !== undefined) return client.session({ sessionId: other });
    this.#remember({ sessionId, conversationId });
    return session;
  }

  #refuse(key: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#renew(key, { refusal: isFramerailError(error) ? error.code : "INVARIANT_VIOLATION" });
    this.#forgetLast(key);
  }

  #openSession(): Session {
    const { client } = this.#options;
    const { sessionId, agentId, conversationId, locale } = this.#record;
    if (sessionId !== undefined) return client.session({ sessionId });
    return client.session({ agentId, locale, ...(conversationId !== undefined && { conversationId }) });
  }

  /** Remembers what the server has told of a turn that was sent here. */
  #followTurn(key: string, turn: Turn): void {
    const { turnId } = turn;
    const { last } = this.#record;
    const entry = this.#entries.find((one) => one.key === key);
    if (turnId !== undefined && entry?.turnId === undefined) {
      for (const twin of this.#entries) if (twin.turnId === turnId) twin.turn?.detach();
      this.#entries = this.#entries.filter((one) => one.turnId !== turnId);
      this.#renew(key, { turnId });
      if (last?.key === key) this.#remember({ last: { ...last, turnId } });
    }
    if (turnId === undefined && turn.state.failure !== undefined) this.#forgetLast(key);
  }

  /** What was refused is not sent again by a reload. */
  #forgetLast(key: string): void {
    const { last, ...rest } = this.#record;
    if (last?.key !== key) return;
    this.#record = rest;
    this.#options.store.put(rest);
    this.#changed();
  }

  #renew(key: string, news: Partial<Entry>): void {
    this.#entries = this.#entries.map((entry) => (entry.key === key ? { ...entry, ...news } : entry));
    this.#changed();
  }

  #remember(news: Partial<StoredConversation>): void {
    this.#record = { ...this.#record, ...news };
    this.#options.store.put(this.#record);
    this.#changed();
  }

  // V3
  #followStore(): void {
    const stored = this.#options.store.find(this.#record.id);
    if (stored === undefined || JSON.stringify(stored) === JSON.stringify(this.#record)) return;
    this.#record = stored;
    this.#takeUpLast("wait");
    this.#changed();
  }

  /** Reads the last turn that was sent, where no entry does; one that has no id yet is sent, or left to who sends it. */
  #takeUpLast(unnamed: "send" | "wait"): void {
    const { last } = this.#record;
    if (last === undefined || this.#entries.some(({ key }) => key === last.key)) return;
    const { key, message, turnId } = last;
    if (turnId === undefined) {
      if (unnamed === "send") void this.#begin(key, message);
      return;
    }
    if (this.#entries.some((entry) => entry.turnId === turnId)) return;
    const turn = this.#options.client.turn(turnId);
    this.#entries = [...this.#entries, { key, message, turnId, turn, answer: undefined }];
  }

  async #loadHistory(conversationId: string, before?: string): Promise<void> {
    this.#history = "loading";
    this.#changed();
    const wish = { limit: HISTORY_LIMIT, reasoning: true, signal: this.#closing.signal };
    try {
      const page = await this.#options.client.history(conversationId, {
        ...wish,
        ...(before !== undefined && { before }),
      });
      this.#before = page.before;
      this.#history = "loaded";
      const known = new Set(this.#entries.map(({ turnId }) => turnId));
      this.#entries = [...entriesOf(page.messages).filter(({ turnId }) => !known.has(turnId)), ...this.#entries];
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#history = { failed: isFramerailError(error) ? error.code : "INVARIANT_VIOLATION" };
      this.#before = before;
    }
    if (before === undefined) {
      this.#takeUpLast("send");
      this.#readLast();
    }
    this.#changed();
  }

  // V1
  #readLast(): void {
    const last = this.#entries.at(-1);
    for (const entry of this.#entries) if (entry === last || entry.answer === undefined) this.replay(entry.key);
  }

  #changed(): void {
    this.#state = undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** Messages of one turn belong together; what the user said comes first. */
function entriesOf(messages: readonly HistoryMessage[]): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const message of messages) {
    const { run_id: turnId } = message;
    const entry = entries.get(turnId) ?? { key: turnId, message: "", turnId, turn: undefined, answer: undefined };
    const said = message.role === "user" ? { message: message.content_items[0]?.content ?? "" } : { answer: message };
    entries.set(turnId, { ...entry, ...said });
  }
  return [...entries.values()];
}
