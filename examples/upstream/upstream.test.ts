import { expect, test } from "vitest";
import { handClock } from "../../packages/framerail/src/dispatch/testing/turn-bench.js";
import { playExample, shownIn, startExample } from "../../packages/framerail/src/worker/testing/example-turn.js";
import { createNdjsonRelay, createRelay, IDLE_MS } from "./agent.js";
import type { Service } from "./service.js";
import { startService } from "./service.js";

const tool_call = { id: "srv-1", name: "search_offers", type: "mcp" };
const closedTool = { event_type: "tool_completed", tool_call: { ...tool_call, status: "cancelled" } };

/** What every answer of the service begins with. */
const BEGINNING = [
  { event_type: "response_id" },
  { event_type: "thinking" },
  { event_type: "status", data: { event_id: "searching_offers", message: "Searching offers…" } },
  { event_type: "tool_call", tool_call },
];
const WHOLE = [
  ...BEGINNING,
  { event_type: "tool_completed", tool_call },
  { event_type: "text", chunk: "Two offers near you." },
  { event_type: "completed" },
];

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 2_000) throw new Error("it never came");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A turn whose service has said its beginning and is silent since. */
async function startSilent(service: Service) {
  const clock = handClock();
  const started = startExample(createRelay({ url: service.url("/silent"), clock }), { clock });
  await until(() => started.sink.types().includes("tool_call"));
  return started;
}

test("a service is the same turn over SSE and over NDJSON, frame by frame [W-MAP-1, W-MAP-2, W-MAP-3, W-MAP-4]", async () => {
  await using service = await startService();
  const url = service.url("/fine");
  const overSse = await playExample(createRelay({ url }), { message: "What is on offer?" });
  const overNdjson = await playExample(createNdjsonRelay({ url }), { message: "What is on offer?" });
  expect(overSse.shown).toEqual(WHOLE);
  expect(overNdjson.shown).toEqual(WHOLE);
  expect(service.calls.map(({ contentType }) => contentType)).toEqual(["text/event-stream", "application/x-ndjson"]);
  for (const { body } of service.calls) expect(JSON.parse(body)).toMatchObject({ message: "What is on offer?" });
  for (const { sink } of [overSse, overNdjson]) expect(sink.wire()).not.toMatch(/service-run-17|cart|the user|found/);
});

test("silence cancels the turn as idle, and the service's late end is not heard [W-FR-9b] [W-CAN-2] [C-23]", async () => {
  await using service = await startService();
  const { turn, sink, clock, reports } = await startSilent(service);
  clock.pass(IDLE_MS - 1);
  expect(sink.types()).toEqual(BEGINNING.map(({ event_type }) => event_type));
  clock.pass(1);
  // In the very moment in which it is given up, the service goes on to its end.
  service.goOn();
  expect(await turn.ended).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
  await service.calls[0]?.closed;
  expect(shownIn(sink)).toEqual([
    ...BEGINNING,
    closedTool,
    { event_type: "cancelled", error: { code: "IDLE_TIMEOUT" } },
  ]);
  expect(reports.filter(({ kind }) => kind === "violation")).toEqual([]);
});

test("a reader's cancel reaches the service, whose request is closed [W-CAN-1]", async () => {
  await using service = await startService();
  const { turn, sink, failures } = await startSilent(service);
  turn.cancel();
  expect(await turn.ended).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
  await service.calls[0]?.closed;
  service.goOn();
  expect(shownIn(sink)).toEqual([
    ...BEGINNING,
    closedTool,
    { event_type: "cancelled", error: { code: "REQUEST_CANCELLED" } },
  ]);
  expect(failures).toEqual([]);
});

for (const path of ["/truncated", "/garbled"] as const) {
  for (const createAgent of [createRelay, createNdjsonRelay]) {
    test(`an answer that is ${path.slice(1)} is one typed failure, by ${createAgent.name} [W-ERR-1] [W-FR-9a]`, async () => {
      await using service = await startService();
      const { shown, outcome, failures } = await playExample(createAgent({ url: service.url(path) }));
      expect(shown).toEqual([
        ...BEGINNING,
        closedTool,
        { event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: true },
      ]);
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "INTERNAL_ERROR" } });
      expect(failures).toMatchObject([{ code: "UPSTREAM_FAILED" }]);
    });
  }
}
