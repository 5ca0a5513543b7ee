// A graph as its author would write it: a model that may call a tool, the tool, and back.

import type { AIMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import type { ScriptedChatModel } from "./scripted-chat-model.js";

export const searchOffers = tool(({ query }: { query: string }) => Promise.resolve(`2 offers for ${query}`), {
  name: "search_offers",
  description: "Finds offers",
  schema: z.object({ query: z.string() }),
});

export function offerGraph(model: ScriptedChatModel, tools: StructuredToolInterface[] = [searchOffers]) {
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) => {
      const last = messages.at(-1) as AIMessage;
      return (last.tool_calls ?? []).length > 0 ? "tools" : END;
    })
    .addEdge("tools", "agent");
}

/** The pieces of a model's message that calls the tool. */
export function callPieces(id: string, query: string, index = 0) {
  const args = JSON.stringify({ query });
  return [
    { content: "", tool_call_chunks: [{ index, id, name: "search_offers", args: "" }] },
    { content: "", tool_call_chunks: [{ index, args: args.slice(0, 4) }] },
    { content: "", tool_call_chunks: [{ index, args: args.slice(4) }] },
  ];
}
