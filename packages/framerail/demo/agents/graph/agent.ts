// A graph of LangGraph, unmodified: it plans, looks up trains and answers. Nothing in it knows of Framerail; `fromLangGraph`
// is all there is to it. Without LangGraph installed there is no such agent.

import type { Agent } from "framerail/agent";

async function createGraphAgent(): Promise<Agent | undefined> {
  try {
    await import("@langchain/langgraph");
  } catch {
    return undefined;
  }
  const { createPlanner } = await import("./planner.js");
  return createPlanner();
}

const agent = await createGraphAgent();

export default agent === undefined ? [] : [agent];
