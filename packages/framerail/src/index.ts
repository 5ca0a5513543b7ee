// `framerail/agent`: what an agent author imports.

export type { Agent, AgentManifest, PastMessage, RunContext, RunEnd, TurnInput } from "./agent/agent.js";
export type { Composer } from "./agent/compose.js";
export type { FreeAgentOptions, ModelAgentOptions } from "./agent/define-agent.js";
export { defineAgent } from "./agent/define-agent.js";
export type { GraphConfig } from "./agent/graph-config.js";
export type { PriceTable } from "./agent/model/price-table.js";
export { createPriceTable } from "./agent/model/price-table.js";
export { loadScript } from "./agent/model/read-script.js";
export type { Script } from "./agent/model/script.js";
export { scriptedModel } from "./agent/model/scripted-model.js";
export type { Principal } from "./agent/principal.js";
export type { StatusId, StatusRegistry } from "./agent/status-id.js";
export type { SubAgent, SubAgentOptions } from "./agent/sub-agent.js";
export { defineSubAgent } from "./agent/sub-agent.js";
export type { Tool, ToolContext } from "./agent/tool/define-tool.js";
export { defineTool } from "./agent/tool/define-tool.js";
export { defineRenderTool } from "./agent/tool/render-tool.js";
export type { Writer } from "./agent/writer.js";
export { writer } from "./agent/writer.js";
export { fromLangGraph } from "./backend/langgraph/from-lang-graph.js";
export { upstreamAgent } from "./backend/upstream/upstream-agent.js";
