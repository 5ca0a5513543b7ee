import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { play } from "../../packages/framerail/src/dispatch/testing/turn-bench.js";
import { createPolicy } from "../../packages/framerail/src/policy/create-policy.js";
import { requireEmissions } from "../../packages/framerail/src/registry/judge-emissions.js";
import { openRegistry } from "../../packages/framerail/src/registry/open-registry.js";
import { createShop } from "./agent.js";

const registry = openRegistry(new URL("../registry", import.meta.url).pathname);

async function playIn(locale: string) {
  const agent = await createShop(Number.POSITIVE_INFINITY);
  requireEmissions(agent.manifest, registry);
  const policy = createPolicy({ registry, locale, clock: systemClock });
  const { sink } = await play(agent, { policy });
  return sink.frames();
}

test("the shopping assistant asks two sub-agents, shows components, tells one failure and completes [W-EV-18] [W-AC-1] [W-AC-3] [W-AC-8]", async () => {
  const frames = await playIn("en");
  const types = frames.map(({ event_type }) => event_type);
  expect(types.slice(0, 2)).toEqual(["response_id", "thinking"]);
  expect(types.slice(-2)).toEqual(["usage", "completed"]);
  const firstOf = (type: string) => types.indexOf(type as (typeof types)[number]);
  expect(firstOf("tool_call")).toBeLessThan(firstOf("data_loading"));
  expect(firstOf("data_loading")).toBeLessThan(firstOf("data_loaded"));
  expect(firstOf("data_loaded")).toBeLessThan(firstOf("text"));
  expect(types.filter((type) => type === "tool_call")).toHaveLength(5);
  expect(types.filter((type) => type === "tool_completed")).toHaveLength(5);
  expect(frames.filter(({ event_type }) => event_type === "error")).toMatchObject([
    {
      is_final: false,
      error: { code: "PARTIAL_FAN_OUT", failed: [{ code: "CCS_ENVELOPE_ERROR", enricher_id: "points" }] },
    },
  ]);
  const text = frames.flatMap((frame) => (frame.event_type === "text" ? [frame.chunk] : [])).join("");
  expect(text).toBe("Here are two offers near you. I could not look up your points just now.");
  const [loading, loaded] = frames.flatMap((frame) =>
    frame.event_type === "data_loading" || frame.event_type === "data_loaded" ? [frame.data] : [],
  );
  expect(loaded?.id).toBe(loading?.id);
  expect(loaded).toMatchObject({ type: "offer_list", items: [{ id: "OFF_1" }, { id: "OFF_2" }] });
});

test("its status is in the reader's language [W-FR-3b] [W-AC-1]", async () => {
  const messages = async (locale: string) =>
    (await playIn(locale)).flatMap((frame) => (frame.event_type === "status" ? [frame.data.message] : []));
  const [english, german] = [await messages("en"), await messages("de-AT")];
  expect(english.length).toBeGreaterThan(0);
  expect(german).toHaveLength(english.length);
  expect(german).not.toEqual(english);
});
