// A policy on a workbench: a registry in memory, a clock that stands still, a list of what was given out.

import type { AgentEvent, Draft, EventType, Json } from "@framerail/protocol";
import type { Registry, StatusEntry } from "../../registry/registry.js";
import { createPolicy, type PolicyOptions } from "../create-policy.js";
import type { Policy, PolicyReport, TurnPolicy } from "../policy.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";

export function entryOf(id: string, more: Partial<StatusEntry> = {}): StatusEntry {
  return {
    id,
    description: `What ${id} tells.`,
    default_render_key: `status.${id}`,
    default_policy: "transform",
    emitter_subagents: ["shop", "wallet"],
    lifecycle: "active",
    owner: "platform",
    file: "platform/status_events.yaml",
    line: 1,
    ...more,
  };
}

type Messages = { readonly [key: string]: string };

export function registryOf(entries: readonly StatusEntry[], locales: { readonly [tag: string]: Messages }): Registry {
  return {
    entries: new Map(entries.map((entry) => [entry.id, entry])),
    locales: new Map(
      Object.entries(locales).map(([tag, messages]) => [tag, { tag, messages: new Map(Object.entries(messages)) }]),
    ),
    defaultLocale: "en",
    hash: "stage",
  };
}

const inFanOut = { default_policy: "batch", batch: { group: "fan_out" } } as const;

/** A shop assistant that looks up several things at once. */
export const SHOP_ENTRIES: readonly StatusEntry[] = [
  entryOf("searching_offers", inFanOut),
  entryOf("looking_up_points_balance", inFanOut),
  entryOf("checking_stock", inFanOut),
  entryOf("comparing"),
  entryOf("reading_pages"),
  entryOf("writing_answer", { default_policy: "forward" }),
  entryOf("warming_cache", { default_policy: "suppress" }),
  entryOf("asking_partner", { lifecycle: "deprecated" }),
];

const ENGLISH: Messages = {
  "status.searching_offers": "Searching offers…",
  "status.looking_up_points_balance": "Looking up your points…",
  "status.looking_up_points_balance_part": "looking up your points",
  "status.checking_stock": "Checking the stock…",
  "status.checking_stock_part": "checking the stock",
  "status.comparing": "Comparing…",
  "status.reading_pages": "Reading {count, plural, one {# page} other {# pages}}…",
  "status.writing_answer": "Writing the answer…",
  "status.warming_cache": "Warming up…",
  "status.asking_partner": "Asking a partner…",
};

const GERMAN: Messages = {
  "status.searching_offers": "Angebote werden gesucht…",
  "status.searching_offers_part": "suche Angebote",
  "status.looking_up_points_balance": "Ihr Punktestand wird geladen…",
  "status.looking_up_points_balance_part": "lade Ihren Punktestand",
  "status.checking_stock": "Bestand wird geprüft…",
  "status.checking_stock_part": "prüfe den Bestand",
  "status.comparing": "Vergleiche…",
  "status.reading_pages": "{count, plural, one {# Seite wird} other {# Seiten werden}} gelesen…",
  "batch.sentence": "ich {parts} …",
};

const JAPANESE: Messages = {
  "status.searching_offers": "オファーを検索しています…",
  "status.looking_up_points_balance": "ポイントを確認しています…",
  "status.checking_stock": "在庫を確認しています。",
};

const ARABIC: Messages = {
  "status.searching_offers": "البحث عن العروض…",
  "status.looking_up_points_balance": "التحقق من نقاطك…",
};

export const SHOP = registryOf(SHOP_ENTRIES, { en: ENGLISH, de: GERMAN, ja: JAPANESE, ar: ARABIC });

export interface Bench {
  readonly policy: Policy;
  readonly turn: TurnPolicy;
  readonly clock: FakeClock;
  readonly drafts: Draft[];
  readonly reports: PolicyReport[];
  status(id: string, values?: { readonly [name: string]: Json }, emitter?: string): void;
  text(content: string): void;
  /** The messages of the status frames so far. */
  messages(): string[];
  /** What was given out, in order: `text:…` and `status:…` by their words, others by their type. */
  shown(): string[];
}

export function openBench(options: Partial<PolicyOptions> = {}): Bench {
  const clock = createFakeClock();
  const drafts: Draft[] = [];
  const reports: PolicyReport[] = [];
  const policy = createPolicy({ registry: SHOP, locale: "en", clock, ...options });
  const turn = policy.open({ emit: (draft) => drafts.push(draft), report: (report) => reports.push(report) });
  return {
    policy,
    turn,
    clock,
    drafts,
    reports,
    status: (event_id, values, emitter = "shop") => {
      turn.apply({ type: "status", event_id, ...(values && { values }) }, emitter);
    },
    text: (content) => {
      turn.apply({ type: "text", content }, "assistant");
    },
    messages: () => drafts.flatMap((draft) => (draft.type === "status" ? [draft.payload.data.message] : [])),
    shown: () => drafts.map(nameDraft),
  };
}

function nameDraft(draft: Draft): string {
  if (draft.type === "text") return `text:${draft.payload.chunk}`;
  return draft.type === "status" ? `status:${draft.payload.data.message}` : draft.type;
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 };
const tool = { tool_call_id: "c1", tool_name: "search" };
const data = { id: "d1", data_type: "offer_list", key: { ids: [{ id: "1" }] } };

/** One event of every type. */
export const EVENT_OF: { readonly [T in EventType]: Extract<AgentEvent, { readonly type: T }> } = {
  init_stream: { type: "init_stream", run_id: "t1", conversation_id: "k1", timestamp: 1 },
  episode: { type: "episode", episode_id: "e1" },
  thinking: { type: "thinking" },
  reasoning: { type: "reasoning", content: "hm" },
  text: { type: "text", content: "hello" },
  tool_call: { type: "tool_call", ...tool, arguments: {}, timestamp: 1 },
  tool_result: { type: "tool_result", tool_call_id: "c1", result: {}, is_error: false, duration_ms: 1 },
  tool_call_end: { type: "tool_call_end", ...tool },
  status: { type: "status", event_id: "comparing" },
  data_loading: { type: "data_loading", ...data },
  data_loaded: { type: "data_loaded", ...data, items: [] },
  component: { type: "component", data_id: "d1", data_type: "card", chunk: {}, ...tool },
  part_failed: { type: "part_failed", error: { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" } },
  metrics: { type: "metrics", model: "m", tokens: usage },
  usage: { type: "usage", ...usage },
  node_enter: { type: "node_enter", node_id: "n", node_type: "model", timestamp: 1 },
  node_exit: { type: "node_exit", node_id: "n", duration_ms: 1 },
  support_content: { type: "support_content", content: {} },
  log: { type: "log", level: "info", message: "inside" },
  mcp_list_tools_start: { type: "mcp_list_tools_start" },
  mcp_list_tools_completed: { type: "mcp_list_tools_completed" },
  mcp_session_start: { type: "mcp_session_start" },
  mcp_session_progress: { type: "mcp_session_progress" },
  error: { type: "error", message: "inside" },
  end_stream: { type: "end_stream", status: "success", total_duration_ms: 1 },
};
