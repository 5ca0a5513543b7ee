// LangGraph: a node that writes to the custom stream, and the stream's events as SSE.

import type { ServerResponse } from "node:http";
import { StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import type { Pacer } from "../pacer.js";
import { SSE_HEADERS, serveStreams } from "../server.js";

const TURN = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11".repeat(2);

export function startLangGraph(pacer: Pacer): Promise<number> {
  const graph = new StateGraph(z.object({}))
    .addNode("answer", async (_state, config) => {
      pacer.add((chunk) => config.writer?.({ event_type: "text", response_id: TURN, content: { chunk } }));
      await new Promise(() => undefined);
      return {};
    })
    .addEdge("__start__", "answer")
    .compile();
  const answer = async (response: ServerResponse) => {
    for await (const event of await graph.stream({}, { streamMode: "custom" })) {
      response.write(`event: custom\ndata: ${JSON.stringify(event)}\n\n`);
    }
  };
  return serveStreams((response) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    void answer(response);
  });
}
