import type { Turn } from "@framerail/client";
import { createClient } from "@framerail/client";
import { expect, test } from "vitest";
import { createFrameFeed } from "./frame-feed.js";

/** A turn whose stream says these frames, then ends. */
function turnOf(...types: readonly (readonly [type: string, fields?: object])[]): Turn {
  const lines = types.map(([event_type, fields], index) => {
    const frame = {
      event_type,
      version: "0.5",
      timestamp: "2026-01-01T00:00:00.000Z",
      response_id: "t",
      seq: index + 1,
    };
    return `id: t.1.${index + 1}\nevent: ${event_type}\ndata: ${JSON.stringify({ ...frame, ...fields })}\n\n`;
  });
  const respond = async () =>
    new Response(lines.join(""), { headers: { "content-type": "text/event-stream", "framerail-turn-id": "t" } });
  return createClient({ url: "http://framerail.test", fetch: respond, page: null }).turn("t");
}

const text = ["text", { chunk: "a" }] as const;

test("frames are told once per animation frame, in one list that only grows [G2]", async () => {
  const turn = turnOf(["response_id"], text, text, ["completed"]);
  let paint: (() => void) | undefined;
  const feed = createFrameFeed(turn, (callback) => {
    paint = callback;
  });
  let renewed = 0;
  feed.subscribe(() => {
    renewed += 1;
  });
  await turn.outcome;
  await expect.poll(() => paint).toBeDefined();
  expect([feed.view().count, renewed]).toEqual([0, 0]);
  // The loop over a turn and its end are a few microtasks apart.
  await new Promise((resolve) => setTimeout(resolve, 20));
  paint?.();
  expect(feed.view().frames.map(({ event_type }) => event_type)).toEqual(["response_id", "text", "text", "completed"]);
  expect([feed.view().count, renewed]).toEqual([4, 1]);
});

test("how a tool ended is told apart: finished, cancelled, unknown [G6, G12]", async () => {
  const call = (id: string, status?: string) => ({ tool_call: { id, name: "a", type: "function", status } });
  const turn = turnOf(
    ["response_id"],
    ["tool_call", call("1")],
    ["tool_call", call("2")],
    ["tool_completed", call("1")],
    ["tool_completed", call("2", "unknown")],
    ["error", { error: { code: "INTERNAL_ERROR" }, is_final: true }],
  );
  const feed = createFrameFeed(turn, (callback) => setTimeout(callback));
  feed.subscribe(() => undefined);
  await expect.poll(() => feed.view().count).toBe(6);
  expect([...feed.view().toolEnds]).toEqual([
    ["1", "finished"],
    ["2", "unknown"],
  ]);
});
