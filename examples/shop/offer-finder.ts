// The same shop for one intent, as free-form code: no loop in which a model chooses, so the author decides the order of
// what a client sees. The model is asked once, for the sentence at the end, with the AI SDK; it is scripted here.

import { systemClock } from "@framerail/protocol";
import type { LanguageModel, LanguageModelUsage } from "ai";
import { streamText } from "ai";
import type { Agent, RunContext, Writer } from "framerail/agent";
import { defineAgent, loadScript, scriptedModel } from "framerail/agent";

const OFFERS = [
  { id: "OFF_1", title: "Two for one on roasted coffee" },
  { id: "OFF_2", title: "A free croissant with any breakfast" },
];

const SEARCH = { tool_call_id: "call_1", tool_name: "search_offers", tool_type: "mcp" };

/** Its tool goes through the writer like any: what was asked and found is for history, the wire has the pair alone. */
function searchOffers(query: string, writer: Writer) {
  const startedAt = systemClock.now();
  writer.toolCall({ ...SEARCH, arguments: { query }, timestamp: startedAt });
  const duration_ms = systemClock.now() - startedAt;
  writer.toolResult({ tool_call_id: SEARCH.tool_call_id, result: OFFERS, is_error: false, duration_ms });
  writer.toolCallEnd(SEARCH);
  return OFFERS;
}

function showOffers(offers: typeof OFFERS, writer: Writer): void {
  const list = { id: "offer-list-1", data_type: "offer_list", key: { ids: offers.map(({ id }) => ({ id })) } };
  writer.dataLoading(list);
  writer.dataLoaded({ ...list, items: offers });
}

/** Streams the model's answer. Whatever becomes of the call, it is accounted for, once. */
async function tellAnswer(model: LanguageModel, prompt: string, { writer, signal }: RunContext): Promise<void> {
  let usage: LanguageModelUsage | undefined;
  try {
    // A failure comes as one more part: thrown below, it ends the turn as failed and reaches operators from there.
    const { fullStream } = streamText({ model, prompt, abortSignal: signal, onError: () => undefined });
    for await (const part of fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") writer.text(part.text);
      if (part.type === "finish") usage = part.totalUsage;
      await writer.ready();
    }
  } finally {
    const { inputTokens: input_tokens = 0, outputTokens: output_tokens = 0 } = usage ?? {};
    const tokens = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
    writer.write({
      type: "metrics",
      model: "scripted",
      tokens: { ...tokens, reasoning_tokens: 0, cached_tokens: 0 },
      ...(usage === undefined && { estimated: true }),
    });
  }
}

export async function createOfferFinder(speed: number): Promise<Agent> {
  const script = await loadScript(new URL("./answer.yaml", import.meta.url).pathname);
  const model = scriptedModel({ script, clock: systemClock, speed });
  return defineAgent({
    id: "shop",
    emits: ["searching_offers"],
    async run({ message }, context) {
      const { writer } = context;
      writer.thinking();
      writer.status("searching_offers");
      const offers = searchOffers(message, writer);
      showOffers(offers, writer);
      await tellAnswer(model, `${message}\n\nOn the screen: ${JSON.stringify(offers)}`, context);
    },
  });
}
