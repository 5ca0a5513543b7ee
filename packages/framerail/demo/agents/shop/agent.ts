// A shopping assistant with two sub-agents that work side by side: status in the reader's language, several of them in
// one line, a list that appears as a placeholder first, and one backend that is down, which the answer admits.

import { defineAgent, defineRenderTool, defineSubAgent, defineTool } from "framerail/agent";
import { demoModel, prices, takeTime } from "../../demo-model.js";
import { offersNear } from "./catalogue.js";
import { idList, noInput, queryText } from "./inputs.js";

const searchOffers = defineTool({
  name: "search_offers",
  description: "Finds offers near the user",
  ...queryText,
  async run({ query }, { writer, signal }) {
    writer.status("searching_offers");
    await takeTime(900, signal);
    const offers = offersNear(query);
    writer.status("comparing_prices", { count: offers.length });
    await takeTime(700, signal);
    return offers;
  },
});

const renderOffers = defineRenderTool({
  name: "render_offers",
  description: "Shows offers to the user, by their ids",
  ...idList,
  dataType: "offer_list",
  shape: "collection",
  key: ({ ids }) => ids.map((id) => ({ id })),
  async load({ ids }) {
    await takeTime(800);
    return offersNear("").filter(({ id }) => ids.includes(id));
  },
});

const pointsBalance = defineTool({
  name: "points_balance",
  description: "Looks up the user's points",
  ...noInput,
  async run(_, { writer, principal, signal }) {
    writer.status("looking_up_points");
    await takeTime(1_200, signal);
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

const scriptOf = (name: string) => demoModel(new URL(`${name}.yaml`, import.meta.url));

const offers = defineSubAgent({
  id: "offers",
  description: "Finds offers near the user and compares their prices",
  emits: ["searching_offers", "comparing_prices"],
  tools: [searchOffers],
  model: await scriptOf("offers"),
  onCancel: () => undefined,
});

const rewards = defineSubAgent({
  id: "rewards",
  description: "Knows the user's points",
  emits: ["looking_up_points"],
  tools: [pointsBalance],
  model: await scriptOf("rewards"),
  onCancel: () => undefined,
});

export default defineAgent({
  id: "shop",
  instructions:
    "You help people find offers near them. Ask the sub-agents offers and rewards, show offers with render_offers, then answer in two sentences.",
  model: await scriptOf("shop"),
  prices,
  subAgents: [offers, rewards],
  tools: [renderOffers],
});
