// Agents to which something happens: one for each axis of failure, and one that makes up a status. What must not be seen
// by anybody has C4NARY in it.

import { systemClock } from "@framerail/protocol";
import type { Script } from "framerail/agent";
import { defineAgent, defineRenderTool, defineSubAgent, defineTool, scriptedModel } from "framerail/agent";
import { z } from "zod";

const says = (...steps: Script["steps"]) =>
  scriptedModel({ script: { token_length: 1_000, steps }, clock: systemClock, speed: Number.POSITIVE_INFINITY });
const asks = (...names: string[]) => ({ call: 1, tool_calls: names.map((name) => ({ name })) });
const onCancel = () => undefined;

/** What a backend answers, with a mark in everything that is not its payload. */
const envelope = (principal: object, fields: object) => ({
  enricher_id: "flowers",
  domain_type: "flower_list",
  principal: { ...principal, session: "C4NARY" },
  version: "1.4242",
  partial: [],
  cache_meta: { key: "C4NARY" },
  timing: { host: "C4NARY.internal" },
  ...fields,
});

const findFlowers = defineTool({
  name: "find_flowers",
  description: "Finds flowers",
  input: z.object({}),
  run: (_, { principal }) =>
    envelope(principal, {
      status: "error",
      partial: [{ source: "C4NARY", reason: "upstream_timeout" }],
      payload: null,
    }),
});

const renderFlowers = defineRenderTool({
  name: "render_flowers",
  description: "Shows flowers",
  input: z.object({}),
  dataType: "flower_list",
  shape: "collection",
  key: () => [{ id: "rose" }],
  load: (_, { principal }) =>
    envelope(principal, {
      status: "partial",
      partial: [{ source: "C4NARY", reason: "stale" }],
      payload: [{ id: "rose", petals: 12 }, { id: "tulip" }],
    }),
});

const throws = defineSubAgent({
  id: "breaker",
  model: {
    ...says(),
    doStream: () => Promise.reject(new RangeError("C4NARY: connect ECONNREFUSED db.internal:5432 at /srv/app/x.js")),
  },
  onCancel,
});
const answers = defineSubAgent({ id: "teller", model: says({ text: "120 points" }), onCancel });

export default [
  defineAgent({
    id: "florist",
    model: says(asks("render_flowers"), { call: 2, text: "Here are roses and tulips." }),
    tools: [renderFlowers],
  }),
  defineAgent({
    id: "clerk",
    model: says(asks("find_flowers"), { call: 2, text: "I could not reach the flowers just now." }),
    tools: [findFlowers],
  }),
  defineAgent({ id: "loner", model: says(asks("breaker"), { call: 2, text: "never" }), subAgents: [throws] }),
  defineAgent({
    id: "crowd",
    model: says(asks("breaker", "teller"), { call: 2, text: "You have 120 points; the rest has to wait." }),
    subAgents: [throws, answers],
  }),
  defineAgent({
    id: "improviser",
    async run(_, { writer }) {
      writer.status("humming_a_tune");
      writer.text("Done.");
    },
  }),
];
