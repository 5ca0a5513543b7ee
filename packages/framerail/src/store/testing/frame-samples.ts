// One frame of every type; a type that is added to the wire and not here does not compile.

import type { FrameType, PayloadOf } from "@framerail/protocol";

const tool_call = { id: "call_1", name: "search_offers", type: "function" };
const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8, reasoning_tokens: 1, cached_tokens: 2 };
const data = { id: "d1", type: "offer_list", key: { ids: [{ id: "OFF_1" }] } };

export const FRAME_SAMPLES: { readonly [T in FrameType]: PayloadOf<T> } = {
  response_id: {},
  episode: { episode_id: "episode_1" },
  thinking: { content: "Hmm.", role: "reasoning" },
  reasoning: { chunk: "First I look." },
  text: { chunk: "Zwei Angebote, \u2028 😀 \n in der Nähe." },
  status: { data: { event_id: "searching_offers", message: "Searching offers…" } },
  tool_call: { tool_call },
  tool_completed: { tool_call: { ...tool_call, status: "unknown" } },
  data_loading: { data },
  data_loaded: { data: { ...data, items: [{ id: "OFF_1", nested: [null, true, 1.5] }] } },
  component: { chunk: { kind: "card" }, tool_call },
  usage,
  error: { error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers", reason: "upstream_timeout" }, is_final: false },
  mcp_list_tools_start: {},
  mcp_list_tools_completed: {},
  mcp_session_start: {},
  mcp_session_progress: {},
  completed: { has_more: true },
  cancelled: { error: { code: "IDLE_TIMEOUT" } },
};
