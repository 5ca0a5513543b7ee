// The graph: plan → look up → answer.

import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Agent } from "framerail/agent";
import { fromLangGraph } from "framerail/agent";
import { takeTime } from "../../demo-model.js";
import { GuideModel } from "./guide-model.js";

type State = typeof MessagesAnnotation.State;

const TRAINS = ["08:12, arriving 11:40", "09:42, arriving 13:05", "10:12, arriving 13:41"];

const model = new GuideModel({});

async function plan(_: State, config: LangGraphRunnableConfig) {
  // LangGraph's own writer: an id of the registry, said in the reader's language.
  config.writer?.({ event_type: "planning_route" });
  await takeTime(800, config.signal);
  return {};
}

async function lookUp(_: State, config: LangGraphRunnableConfig) {
  config.writer?.({ event_type: "looking_up_trains", count: TRAINS.length });
  await takeTime(1_000, config.signal);
  return { messages: [new AIMessage(`Trains: ${TRAINS.join("; ")}`)] };
}

async function answer({ messages }: State) {
  return { messages: [await model.invoke(messages)] };
}

export function createPlanner(): Agent {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("plan", plan)
    .addNode("look_up", lookUp)
    .addNode("answer", answer)
    .addEdge(START, "plan")
    .addEdge("plan", "look_up")
    .addEdge("look_up", "answer")
    .addEdge("answer", END)
    .compile();
  return fromLangGraph(graph, {
    id: "graph",
    emits: ["planning_route", "looking_up_trains"],
    input: ({ message }) => ({ messages: [{ role: "user", content: message }] }),
  });
}
