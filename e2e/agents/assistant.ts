// An agent with a model behind a real socket (FAKE_MODEL_URL) and tools that can be slow, fail, or count how often they ran.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent, defineTool } from "framerail/agent";
import { z } from "zod";

const provider = createOpenAICompatible({
  name: "fake",
  baseURL: process.env.FAKE_MODEL_URL ?? "http://127.0.0.1:1/v1",
  apiKey: "sk-canary-secret",
  includeUsage: true,
});

const note = (tool: string) => {
  const path = process.env.TOOL_DIARY;
  if (path !== undefined) appendFileSync(path, `${tool}\n`);
};

const lookUp = defineTool({
  name: "look_up",
  description: "Looks something up",
  input: z.object({}),
  async run() {
    note("look_up");
    await sleep(50);
    return { found: 1 };
  },
});

const slow = defineTool({
  name: "slow_tool",
  description: "Takes long",
  input: z.object({}),
  async run() {
    note("slow_tool");
    await sleep(1_000);
    return { found: 1 };
  },
});

export default defineAgent({
  id: "assistant",
  model: provider.chatModel("fake"),
  instructions: "Answer.",
  tools: [lookUp, slow],
});
