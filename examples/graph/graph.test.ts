import { expect, test } from "vitest";
import { playExample } from "../../packages/framerail/src/worker/testing/example-turn.js";
import { createTeller } from "./agent.js";

const tool_call = { id: "call_1", name: "points_balance", type: "function" };
const oneCall = { input_tokens: 20, output_tokens: 8, total_tokens: 28, reasoning_tokens: 0, cached_tokens: 0 };
const status = (event_id: string, message: string) => ({ event_type: "status", data: { event_id, message } });

test("a graph that waits for its user ends the turn as paused, after text, tool and statuses of its nodes [W-SW-3] [C-24] [C-30]", async () => {
  const { shown, outcome, events, sink } = await playExample(createTeller(), { message: "Redeem 500 of my points" });
  expect(shown).toEqual([
    { event_type: "response_id" },
    { event_type: "tool_call", tool_call },
    { event_type: "tool_completed", tool_call },
    // Batched by the registry: it waits for others of its group until text comes.
    status("looking_up_points_balance", "Looking up your points…"),
    { event_type: "text", chunk: "You have 1200 points. Shall I redeem 500 of them?" },
    status("waiting_approval", "Waiting for your approval…"),
    { event_type: "usage", ...oneCall, input_tokens: 40, output_tokens: 16, total_tokens: 56 },
    { event_type: "completed", has_more: true },
  ]);
  expect(outcome).toEqual({ kind: "paused", limit: "state_limit" });
  // Arguments and results are for history; what the graph asks its own caller is nobody's but the graph's.
  expect(JSON.stringify(events)).toContain("card_7");
  expect(sink.wire()).not.toMatch(/card_7|redeem"/);
});

test("a yes goes on from the pause, in the reader's language [W-SW-3] [W-FR-3b]", async () => {
  const teller = createTeller();
  await playExample(teller, { message: "Redeem 500 of my points" });
  const { shown, outcome } = await playExample(teller, { message: "Yes, please", locale: "de" });
  expect(shown).toEqual([
    { event_type: "response_id" },
    status("redeeming_points", "500 Punkte werden eingelöst …"),
    { event_type: "text", chunk: "Done: 500 points are redeemed." },
    { event_type: "usage", ...oneCall },
    { event_type: "completed" },
  ]);
  expect(outcome).toEqual({ kind: "completed" });
});

test("a no redeems nothing, and the conversation can ask again", async () => {
  const teller = createTeller();
  await playExample(teller, { message: "Redeem 500 of my points" });
  const { shown } = await playExample(teller, { message: "No" });
  expect(shown).toEqual([
    { event_type: "response_id" },
    { event_type: "text", chunk: "Fine, I redeem nothing." },
    { event_type: "usage", ...oneCall },
    { event_type: "completed" },
  ]);
  // Nothing waits any more, so even a yes is a new question.
  const again = await playExample(teller, { message: "Yes, redeem them after all" });
  expect(again.outcome).toEqual({ kind: "paused", limit: "state_limit" });
});
