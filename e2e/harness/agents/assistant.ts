// The agent with a model, beside the one without.

export { default } from "../../agents/assistant.js";
