// An agent that says what it may write when it is built (HERALD_EMITS), and writes what it is told to.

import { defineAgent } from "framerail/agent";

const emits = (process.env.HERALD_EMITS ?? "").split(",").filter((id) => id !== "");

export default defineAgent({
  id: "herald",
  emits,
  async run({ message }, { writer }) {
    writer.status(message);
    writer.text("Announced.");
  },
});
