// What the agent of README.md calls its author's own: a catalogue, a model, and what is released when a turn is cancelled.

import { systemClock } from "@framerail/protocol";
import { scriptedModel } from "framerail/agent";

export const catalogue = {
  search: async (query: string, { signal }: { readonly signal: AbortSignal }) => {
    signal.throwIfAborted();
    return [{ id: "OFF_1", title: `Two for one on ${query}` }];
  },
};

export const releaseCarts = () => undefined;

/** Speaks for the assistant, and for its sub-agent where that has none of its own. */
export const model = scriptedModel({
  clock: systemClock,
  script: {
    token_length: 80,
    steps: [
      { tool_calls: [{ name: "shop", arguments: { task: "Find coffee" } }] },
      {
        when: { message_contains: "find coffee" },
        tool_calls: [{ name: "search_offers", arguments: { query: "coffee" } }],
      },
      { when: { tool_result: "search_offers" }, text: "One offer, OFF_1." },
      { when: { tool_result: "shop" }, text: "Two for one on coffee." },
    ],
  },
});
