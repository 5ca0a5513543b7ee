// The policy on the whole path of a turn, from what an agent writes to the bytes that a client reads.

import { FRAME_TYPES } from "@framerail/protocol";
import { expect, test } from "vitest";
import { agentOf, handClock, start, tick } from "../dispatch/testing/turn-bench.js";
import type { Registry } from "../registry/registry.js";
import { createPolicy } from "./create-policy.js";
import { entryOf, registryOf, SHOP, SHOP_ENTRIES } from "./testing/policy-bench.js";

/** A turn under the real policy; its clock stands still until the test moves it. */
function play(run: Parameters<typeof agentOf>[0], locale = "en", registry: Registry = SHOP) {
  const clock = handClock();
  const policy = createPolicy({ registry, locale, clock });
  return { clock, ...start(agentOf(run), { policy, clock }) };
}

test("a status reaches the client in the language of its header, with the whole envelope [W-AC-1] [W-REG-12]", async () => {
  const { turn, sink } = play(async ({ writer }) => writer.status("comparing"), "fr;q=0.2, de-CH, en;q=0.8");
  await turn.ended;
  expect(sink.types()).toEqual(["response_id", "status", "completed"]);
  expect(sink.frames()[1]).toEqual({
    event_type: "status",
    version: "0.5",
    timestamp: "2026-05-15T18:00:00.000Z",
    response_id: "turn_1",
    seq: 2,
    data: { event_id: "comparing", message: "Vergleiche…" },
  });
});

test("two sub-agents that work at once show one line, before the answer and the end [W-AC-2] [D-11] [W-FR-5]", async () => {
  const { turn, sink } = play(async ({ writer }) => {
    await Promise.all(
      ["searching_offers", "looking_up_points_balance"].map(async (id) => {
        await tick();
        writer.status(id);
      }),
    );
    writer.text("Here you are.");
    writer.status("checking_stock");
  });
  await turn.ended;
  const shown = sink.frames().map((frame) => {
    if (frame.event_type === "status") return frame.data.message;
    return frame.event_type === "text" ? frame.chunk : frame.event_type;
  });
  expect(shown).toEqual([
    "response_id",
    "Searching offers and looking up your points…",
    "Here you are.",
    "Checking the stock…",
    "completed",
  ]);
});

test("what is suppressed is on no wire and at every tap [W-POL-3] [W-R-6]", async () => {
  const { turn, sink, events } = play(async ({ writer }) => {
    writer.write({ type: "support_content", content: { page: "s3cret" } });
    writer.status("warming_cache", { key: "s3cret" });
    writer.text("Done.");
  });
  await turn.ended;
  expect(sink.types()).toEqual(["response_id", "text", "completed"]);
  expect(sink.wire()).not.toContain("s3cret");
  expect(events.map(({ event }) => event.type)).toEqual(["init_stream", "support_content", "status", "text"]);
});

test("an id made up at run time shows nothing, is reported once, and the turn completes [W-REG-11]", async () => {
  const { turn, sink, reports } = play(async ({ writer }) => {
    writer.status(`searching_offers_${42}`);
    writer.text("Done.");
  });
  expect(await turn.ended).toEqual({ kind: "completed" });
  expect(sink.types()).toEqual(["response_id", "text", "completed"]);
  expect(reports).toEqual([
    {
      kind: "policy",
      event: { type: "status", event_id: "searching_offers_42" },
      emitter: "assistant",
      decision: "suppress",
      unregistered: true,
    },
  ]);
});

test("prose and what is no id are refused to their author and reach no wire [W-FR-3a]", async () => {
  const refused: unknown[] = [];
  const { turn, sink } = play(async ({ writer }) => {
    for (const prose of ["Searching for s3cret things…", "Searching", "searching offers", ""]) {
      try {
        writer.status(prose);
      } catch (error) {
        refused.push((error as { code?: unknown }).code);
      }
    }
  });
  await turn.ended;
  expect(refused).toEqual(Array(4).fill("INVALID_EVENT"));
  expect(sink.types()).toEqual(["response_id", "completed"]);
  expect(sink.wire()).not.toMatch(/searching/i);
});

test("no frame is called like a status, whichever is written [W-POL-6]", async () => {
  const { turn, sink, clock } = play(async ({ writer }) => {
    await tick();
    for (const { id } of SHOP_ENTRIES) {
      writer.status(id, { count: 2 });
      clock.pass(1_000);
    }
  });
  await turn.ended;
  expect(new Set(sink.types())).toEqual(new Set(["response_id", "status", "completed"]));
  for (const { id } of SHOP_ENTRIES) expect(FRAME_TYPES).not.toContain(id);
});

test("the fifty-first id is shown like the first [W-NFR-3]", async () => {
  const entries = Array.from({ length: 51 }, (_, index) => entryOf(`id_${index}`));
  const messages = Object.fromEntries(entries.map(({ id }) => [`status.${id}`, `Doing ${id}`]));
  const registry = registryOf(entries, { en: messages });
  const { turn, sink } = play(async ({ writer }) => writer.status("id_50"), "en", registry);
  await turn.ended;
  expect(sink.frames()[1]).toMatchObject({ data: { event_id: "id_50", message: "Doing id_50" } });
});

test("a window that is open when the turn ends is shown before the end, and leaves no timer [W-POL-4] [D-11]", async () => {
  const { turn, sink, clock } = play(async ({ writer }) => {
    writer.status("searching_offers");
    throw new Error("inside");
  });
  expect(await turn.ended).toMatchObject({ kind: "failed" });
  expect(sink.types()).toEqual(["response_id", "status", "error"]);
  expect(clock.waiting).toBe(0);
});
