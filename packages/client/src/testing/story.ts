// A turn with one of everything, as a server would tell it, and a client on a fake server that tells it.

import type { Frame } from "@framerail/protocol";
import type { ClientOptions } from "../client.js";
import { createClient } from "../client.js";
import type { Turn } from "../turn.js";
import type { ClientReport } from "../turn-connection.js";
import type { FakeServerOptions } from "./fake-server.js";
import { FakeServer } from "./fake-server.js";
import { handClock } from "./hand-clock.js";

const tool = { id: "call_1", name: "search_offers", type: "mcp" };
const offers = { id: "offer-list-1", type: "offer_list", key: { ids: [{ id: "OFF_1" }] } };

export const STORY: FakeServerOptions["script"] = [
  [0, { event_type: "response_id" }],
  [10, { event_type: "thinking" }],
  [10, { event_type: "status", data: { event_id: "searching_offers", message: "Suche läuft…" } }],
  [5, { event_type: "reasoning", chunk: "Near the user 🧭. " }],
  [5, { event_type: "tool_call", tool_call: tool }],
  [40, { event_type: "tool_completed", tool_call: tool }],
  [5, { event_type: "data_loading", data: offers }],
  [20, { event_type: "data_loaded", data: { ...offers, items: [{ id: "OFF_1" }] } }],
  [5, { event_type: "text", chunk: "Zwei für eins" }],
  [5, { event_type: "text", chunk: " — in\u2028Köln." }],
  [5, { event_type: "completed" }],
];
export const STORY_TEXT = "Zwei für eins — in\u2028Köln.";

export type SetUp = Partial<Omit<FakeServerOptions, "clock">> & { readonly client?: Partial<ClientOptions> };

/** A client and a server that share one clock; `timers` are the client's own. */
export function setUp({ client: more, ...server }: SetUp = {}) {
  const clock = handClock();
  const timers = clock.count();
  const fake = new FakeServer({ script: STORY, ...server, clock });
  const reports: ClientReport[] = [];
  let ids = 0;
  const client = createClient({
    url: "http://fake",
    fetch: fake.fetch,
    clock: timers,
    random: () => 0.5,
    newId: () => `key-${++ids}`,
    page: null,
    onReport: (report) => reports.push(report),
    ...more,
  });
  return { clock, timers, server: fake, client, reports, session: client.session({ agentId: "a" }) };
}

/** All frames an iterator gives. */
export async function collect(turn: Turn): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of turn) frames.push(frame);
  return frames;
}
