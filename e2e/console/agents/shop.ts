// The demo's shop, among the agents of these tests.

export { default } from "../../../packages/framerail/demo/agents/shop/agent.js";
