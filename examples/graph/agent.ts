// A graph of LangGraph as an agent, unmodified: it looks up a balance, asks the user, and redeems points only after a yes.
// Nothing in the graph knows of Framerail; `fromLangGraph` at the end is all there is to it.

import type { AIMessage } from "@langchain/core/messages";
import { SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { Agent } from "framerail/agent";
import { fromLangGraph } from "framerail/agent";
import { z } from "zod";
import { TellerModel } from "./teller-model.js";

type State = typeof MessagesAnnotation.State;

const model = new TellerModel({});

const pointsBalance = tool(
  (_, config: LangGraphRunnableConfig) => {
    // LangGraph's own writer: a status is an id of the registry, what it says is in the reader's language.
    config.writer?.({ event_type: "looking_up_points_balance" });
    return "1200";
  },
  { name: "points_balance", description: "Looks up the points of a card", schema: z.object({ card: z.string() }) },
);

async function askModel({ messages }: State) {
  return { messages: [await model.invoke(messages)] };
}

function announce(_: State, config: LangGraphRunnableConfig) {
  config.writer?.({ event_type: "waiting_approval" });
  return {};
}

/** Waits for the user: the turn ends as paused, and the next message of the conversation is the answer. */
function approve() {
  const answer: unknown = interrupt({ action: "redeem", points: 500 });
  if (typeof answer === "string" && /^yes\b/i.test(answer)) return new Command({ goto: "redeem" });
  return new Command({ goto: "answer", update: { messages: [new SystemMessage("declined")] } });
}

function redeem(_: State, config: LangGraphRunnableConfig) {
  config.writer?.({ event_type: "redeeming_points", points: 500 });
  return { messages: [new SystemMessage("redeemed")] };
}

const wantsTool = ({ messages }: State) => ((messages.at(-1) as AIMessage).tool_calls?.length ?? 0) > 0;

/** With a memory of its own: conversations go on where they paused. */
function createGraph() {
  return new StateGraph(MessagesAnnotation)
    .addNode("ask", askModel)
    .addNode("tools", new ToolNode([pointsBalance]))
    .addNode("announce", announce)
    .addNode("approve", approve, { ends: ["redeem", "answer"] })
    .addNode("redeem", redeem)
    .addNode("answer", askModel)
    .addEdge(START, "ask")
    .addConditionalEdges("ask", (state) => (wantsTool(state) ? "tools" : "announce"))
    .addEdge("tools", "ask")
    .addEdge("announce", "approve")
    .addEdge("redeem", "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

export function createTeller(): Agent {
  const graph = createGraph();
  return fromLangGraph(graph, {
    id: "rewards",
    emits: ["looking_up_points_balance", "waiting_approval", "redeeming_points"],
    // A conversation that waits at a node gets the message as its answer; any other begins with it.
    async input({ message, conversation_id }) {
      const { next } = await graph.getState({ configurable: { thread_id: conversation_id } });
      return next.length > 0 ? new Command({ resume: message }) : { messages: [{ role: "user", content: message }] };
    },
  });
}
