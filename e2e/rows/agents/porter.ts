// An agent whose tool asks a backend on a socket (BACKEND_URL) and may have to wait for it.

import { systemClock } from "@framerail/protocol";
import { defineAgent, defineTool, scriptedModel } from "framerail/agent";
import { z } from "zod";

const carry = defineTool({
  name: "carry",
  description: "Has something carried",
  input: z.object({}),
  run: async () => (await fetch(process.env.BACKEND_URL ?? "http://127.0.0.1:1")).json(),
});

const steps = [
  { call: 1, text: "One moment. ", tool_calls: [{ name: "carry" }] },
  { call: 2, tool_calls: [{ name: "carry" }] },
  { call: 3, text: "It is there." },
];

export default defineAgent({
  id: "porter",
  model: scriptedModel({ script: { steps }, clock: systemClock, speed: Number.POSITIVE_INFINITY }),
  tools: [carry],
});
