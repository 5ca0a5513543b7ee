// The demo's writer, among the agents of these tests.

export { default } from "../../../packages/framerail/demo/agents/writer/agent.js";
