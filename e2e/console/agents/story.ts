// The agent that tells numbers, among the agents of these tests.

export { default } from "../../agents/story.js";
