// A shopping assistant: two sub-agents, status in the reader's language, a component with a placeholder, and a tool whose
// backend is down. The model is scripted, so it needs no key; give `defineAgent` any model of the AI SDK instead.

import { systemClock } from "@framerail/protocol";
import { defineAgent, defineRenderTool, defineSubAgent, defineTool, loadScript, scriptedModel } from "framerail/agent";
import { z } from "zod";

const OFFERS = [
  { id: "OFF_1", title: "Two for one on roasted coffee" },
  { id: "OFF_2", title: "A free croissant with any breakfast" },
];

const searchOffers = defineTool({
  name: "search_offers",
  description: "Finds offers near the user",
  input: z.object({ query: z.string() }),
  run(_, { writer }) {
    writer.status("searching_offers");
    return OFFERS;
  },
});

const renderOffers = defineRenderTool({
  name: "render_offers",
  description: "Shows offers to the user",
  input: z.object({ ids: z.array(z.string()) }),
  dataType: "offer_list",
  shape: "collection",
  key: ({ ids }) => ids.map((id) => ({ id })),
  load: ({ ids }) => OFFERS.filter(({ id }) => ids.includes(id)),
});

const pointsBalance = defineTool({
  name: "points_balance",
  description: "Looks up the user's points",
  input: z.object({}),
  run(_, { writer, principal }) {
    writer.status("looking_up_points_balance");
    // What an enrichment backend answers when it is down.
    return {
      enricher_id: "points",
      domain_type: "points_balance",
      principal,
      version: "1.0",
      status: "error",
      partial: [{ source: "ledger", reason: "upstream_unavailable" }],
      cache_meta: {},
      timing: {},
      payload: null,
    };
  },
});

const script = (name: string) => loadScript(new URL(`./${name}.yaml`, import.meta.url).pathname);

export async function createShop(speed: number) {
  const model = async (name: string) => scriptedModel({ script: await script(name), clock: systemClock, speed });
  const shop = defineSubAgent({
    id: "shop",
    description: "Finds offers",
    emits: ["searching_offers"],
    tools: [searchOffers],
    model: await model("offers"),
    onCancel: () => undefined,
  });
  const rewards = defineSubAgent({
    id: "rewards",
    description: "Knows the user's points",
    emits: ["looking_up_points_balance"],
    tools: [pointsBalance],
    model: await model("rewards"),
    onCancel: () => undefined,
  });
  return defineAgent({
    id: "assistant",
    instructions: "You help people find offers near them.",
    model: await model("assistant"),
    subAgents: [shop, rewards],
    tools: [renderOffers],
  });
}
