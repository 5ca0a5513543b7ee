import { expect, test } from "vitest";
import type { Shown } from "../../packages/framerail/src/worker/testing/example-turn.js";
import { playExample } from "../../packages/framerail/src/worker/testing/example-turn.js";
import { createShop } from "./agent.js";
import { createOfferFinder } from "./offer-finder.js";

const AT_ONCE = Number.POSITIVE_INFINITY;

const ids = [{ id: "OFF_1" }, { id: "OFF_2" }];
const items = [
  { id: "OFF_1", title: "Two for one on roasted coffee" },
  { id: "OFF_2", title: "A free croissant with any breakfast" },
];
const searching = { event_id: "searching_offers", message: "Searching offers…" };

/** A scripted model's ids are digests; here they are numbered as they come. */
function numberCalls(shown: readonly Shown[]): unknown {
  const known: string[] = [];
  const text = JSON.stringify(shown).replace(/call_[0-9a-f]{12}_\d/g, (id) => {
    if (!known.includes(id)) known.push(id);
    return `call ${known.indexOf(id) + 1}`;
  });
  return JSON.parse(text);
}

test("a single intent is the worked example of the protocol, frame by frame [W-EV-18] [W-AC-1]", async () => {
  const { shown, outcome, reports } = await playExample(await createOfferFinder(AT_ONCE));
  const tool_call = { id: "call_1", name: "search_offers", type: "mcp" };
  const data = { id: "offer-list-1", type: "offer_list", key: { ids } };
  const usage = { input_tokens: 30, output_tokens: 10, total_tokens: 40, reasoning_tokens: 0, cached_tokens: 0 };
  expect(shown).toEqual([
    { event_type: "response_id" },
    { event_type: "thinking" },
    { event_type: "status", data: searching },
    { event_type: "tool_call", tool_call },
    { event_type: "tool_completed", tool_call },
    { event_type: "data_loading", data },
    { event_type: "data_loaded", data: { ...data, items } },
    { event_type: "text", chunk: "Here are two offers near you." },
    { event_type: "usage", ...usage },
    { event_type: "completed" },
  ]);
  expect(outcome).toEqual({ kind: "completed" });
  expect(reports.filter(({ kind }) => kind !== "policy")).toEqual([]);
});

test("two sub-agents are asked at once, one part fails, components are shown and the turn completes [W-AC-1] [W-AC-3] [W-AC-8]", async () => {
  const { shown, outcome } = await playExample(await createShop(AT_ONCE));
  const shop = { id: "call 1", name: "shop", type: "sub_agent" };
  const rewards = { id: "call 2", name: "rewards", type: "sub_agent" };
  const points = { id: "call 3", name: "points_balance", type: "function" };
  const search = { id: "call 4", name: "search_offers", type: "function" };
  const render = { id: "call 5", name: "render_offers", type: "function" };
  const data = { id: "call 5", type: "offer_list", key: { ids } };
  const failed = [{ code: "CCS_ENVELOPE_ERROR", enricher_id: "points", reason: "upstream_unavailable" }];
  expect(numberCalls(shown)).toEqual([
    { event_type: "response_id" },
    { event_type: "thinking" },
    { event_type: "reasoning", chunk: "Offers and points are two questions; I can ask both at once." },
    { event_type: "tool_call", tool_call: shop },
    { event_type: "tool_call", tool_call: rewards },
    // Side by side: the shorter of the two scripts is the faster one.
    { event_type: "tool_call", tool_call: points },
    { event_type: "tool_call", tool_call: search },
    { event_type: "tool_completed", tool_call: points },
    { event_type: "status", data: searching },
    { event_type: "tool_completed", tool_call: search },
    { event_type: "tool_completed", tool_call: rewards },
    { event_type: "tool_completed", tool_call: shop },
    // Written by points_balance, and kept back for others of its group until something answers it.
    { event_type: "status", data: { event_id: "looking_up_points_balance", message: "Looking up your points…" } },
    { event_type: "error", error: { code: "PARTIAL_FAN_OUT", failed }, is_final: false },
    { event_type: "tool_call", tool_call: render },
    { event_type: "data_loading", data },
    { event_type: "data_loaded", data: { ...data, items } },
    { event_type: "tool_completed", tool_call: render },
    { event_type: "text", chunk: "Here are two offers near you. I could not look up your points just now." },
    {
      event_type: "usage",
      input_tokens: 650,
      output_tokens: 100,
      total_tokens: 750,
      reasoning_tokens: 15,
      cached_tokens: 350,
    },
    { event_type: "completed" },
  ]);
  expect(outcome).toEqual({ kind: "completed" });
});

test("its status is in the reader's language, and nothing else is [W-FR-3b] [W-AC-1]", async () => {
  const [english, austrian] = [
    numberCalls((await playExample(await createShop(AT_ONCE))).shown),
    numberCalls((await playExample(await createShop(AT_ONCE), { locale: "de-AT" })).shown),
  ] as [Shown[], Shown[]];
  const isStatus = ({ event_type }: Shown) => event_type === "status";
  expect(austrian.filter(isStatus)).toEqual([
    { event_type: "status", data: { event_id: "searching_offers", message: "Angebote werden gesucht …" } },
    {
      event_type: "status",
      data: { event_id: "looking_up_points_balance", message: "Ihr Punktestand wird abgerufen …" },
    },
  ]);
  expect(austrian.filter((frame) => !isStatus(frame))).toEqual(english.filter((frame) => !isStatus(frame)));
});
