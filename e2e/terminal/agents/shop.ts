// The demo's assistant with sub-agents, status and tools.

export { default } from "../../../packages/framerail/demo/agents/shop/agent.js";
