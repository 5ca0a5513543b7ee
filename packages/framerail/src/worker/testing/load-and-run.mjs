// A process that loads a folder of agents as the program does, from what is built, and runs each once.
// Prints one JSON line: the files, ids and words, or the refusal.

import { loadAgents } from "../../../dist/worker/load-agents.js";
import { agentStep } from "../../../dist/worker/run-agent.js";

const INPUT = { turn_id: "turn_1", conversation_id: "conv_1", message: "hello", history: [] };

async function say(agent) {
  let text = "";
  const events = {
    accept(event) {
      text += event.content ?? "";
    },
    ready: () => Promise.resolve(),
  };
  const step = agentStep(agent, INPUT, { tenant_id: "tenant_1", user_id: "user_1" });
  await step.run({ events, signal: new AbortController().signal });
  return text;
}

try {
  const agents = [];
  for (const { file, agent } of await loadAgents(process.argv[2]))
    agents.push([file, agent.manifest.id, await say(agent)]);
  console.log(JSON.stringify({ agents }));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
