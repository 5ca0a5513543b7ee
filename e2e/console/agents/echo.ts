// An agent that says what it was told, in every kind of frame that carries words: a screen that is careless with one of
// them shows it here. `break` makes it fail.

import { defineAgent } from "framerail/agent";

/** As many as a name may have, whatever letters they are. */
const NAME_LETTERS = 60;

export default defineAgent({
  id: "echo",
  async run({ message }, { writer }) {
    if (message === "break") throw new Error("C4NARY");
    writer.reasoning(message);
    const name = [...message].slice(0, NAME_LETTERS).join("");
    const named = { tool_call_id: "t1", tool_name: name };
    writer.toolCall({ ...named, arguments: {}, timestamp: 0 });
    writer.toolCallEnd(named);
    writer.dataLoaded({
      id: "d1",
      data_type: name,
      key: { ids: [] },
      items: [{ title: message, url: message }, message],
    });
    writer.text(message);
  },
});
