// The demo's long answer.

export { default } from "../../../packages/framerail/demo/agents/writer/agent.js";
