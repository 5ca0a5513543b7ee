// The left side: which agent, which language, and the conversations that this browser remembers.

import { useConversation, useStored, useSurroundings } from "../app/use-app.js";
import type { Conversation } from "../chat/conversation.js";
import { ThemeSwitch } from "../theme/theme-switch.jsx";
import { listLocales } from "./locales.js";
import type { StoredConversation } from "./stored-conversations.js";

export interface SidebarProps {
  readonly conversation: Conversation | undefined;
  /** Something was chosen: a drawer may close. */
  onLeave(): void;
}

export function Sidebar({ conversation, onLeave }: SidebarProps) {
  const { app, agents, registry } = useSurroundings();
  const state = useConversation(conversation);
  const record = state?.record;
  const isEmpty = state?.entries.length === 0;
  const begin = (agentId: string, locale: string) => {
    app.begin(agentId, locale);
    onLeave();
  };
  const chooseLocale = (locale: string) => {
    if (record === undefined) return;
    if (isEmpty) app.begin(record.agentId, locale);
    else conversation?.setLocale(locale);
  };
  return (
    <nav id="conversations" className="sidebar" aria-label="Conversations">
      <div className="choices">
        <label>
          <span>Agent</span>
          <select
            value={record?.agentId ?? ""}
            onChange={({ target }) => begin(target.value, record?.locale ?? "en")}
            disabled={agents.length === 0}
          >
            {optionsWith(
              agents.map(({ agent_id }) => agent_id),
              record?.agentId,
            ).map((agentId) => (
              <option key={agentId}>{agentId}</option>
            ))}
          </select>
        </label>
        <label>
          <span>Language of status</span>
          <select
            value={record?.locale ?? "en"}
            onChange={({ target }) => chooseLocale(target.value)}
            disabled={record === undefined}
          >
            {listLocales(registry?.locales ?? []).map(({ tag, name }) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="primary"
          disabled={record === undefined}
          onClick={() => record !== undefined && begin(record.agentId, record.locale)}
        >
          New conversation
        </button>
      </div>
      <History current={record?.id} onLeave={onLeave} />
      <footer>
        <ThemeSwitch />
      </footer>
    </nav>
  );
}

/** The agent of an old conversation may be gone. */
function optionsWith(names: readonly string[], current: string | undefined): readonly string[] {
  return current === undefined || names.includes(current) ? names : [...names, current];
}

function History({ current, onLeave }: { readonly current: string | undefined; onLeave(): void }) {
  const { app } = useSurroundings();
  const stored = useStored(app);
  return (
    <div className="history">
      <h2>History</h2>
      {stored.length === 0 && <p className="hint">What you send is listed here, in this browser.</p>}
      <ul>
        {stored.map((record) => (
          <HistoryRow key={record.id} record={record} isCurrent={record.id === current} onLeave={onLeave} />
        ))}
      </ul>
      {!app.store.isKept && <p className="hint">This browser keeps nothing: the list ends with this page.</p>}
    </div>
  );
}

interface HistoryRowProps {
  readonly record: StoredConversation;
  readonly isCurrent: boolean;
  onLeave(): void;
}

function HistoryRow({ record, isCurrent, onLeave }: HistoryRowProps) {
  const { app } = useSurroundings();
  const title = record.title === "" ? "Untitled" : record.title;
  const open = () => {
    app.open(record.id);
    onLeave();
  };
  return (
    <li>
      <button type="button" className="row" aria-current={isCurrent ? "true" : undefined} onClick={open}>
        <span className="title" dir="auto">
          {title}
        </span>
        <span className="meta">
          {record.agentId} · {record.locale} · {timeOf(record.updatedAt)}
        </span>
      </button>
      <button type="button" className="remove" aria-label={`Forget ${title}`} onClick={() => app.remove(record.id)}>
        <span aria-hidden="true">×</span>
      </button>
    </li>
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}
