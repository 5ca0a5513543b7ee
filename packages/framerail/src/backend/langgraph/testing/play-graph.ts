// Plays one turn of a graph, with its events kept.

import type { EventOf, EventType } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { RunEnd, TurnInput } from "../../../agent/agent.js";
import type { KeptContext } from "../../testing/kept-context.js";
import { keepContext, TURN } from "../../testing/kept-context.js";
import type { FromLangGraphOptions } from "../from-lang-graph.js";
import { fromLangGraph } from "../from-lang-graph.js";
import type { StreamableGraph } from "../graph.js";

export interface Played extends KeptContext {
  readonly end: RunEnd;
}

export async function play(
  graph: StreamableGraph,
  options: Partial<FromLangGraphOptions> = {},
  turn: TurnInput = TURN,
): Promise<Played> {
  const context = keepContext();
  const end = await fromLangGraph(graph, { id: "shop", ...options }).run(turn, context);
  return { ...context, end };
}

/** The error of a turn that must fail. */
export async function fail(graph: StreamableGraph, context = keepContext()): Promise<FramerailError> {
  const error: unknown = await fromLangGraph(graph, { id: "shop" })
    .run(TURN, context)
    .then(() => undefined)
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof FramerailError)) throw new Error("the run did not fail as it must");
  return error;
}

export function only<T extends EventType>(context: KeptContext, type: T): EventOf<T>[] {
  return context.events.filter((event) => event.type === type) as EventOf<T>[];
}

export type Node = (state: typeof MessagesAnnotation.State, config: LangGraphRunnableConfig) => Promise<object>;

/** A graph of one node. */
export const graphOf = (node: Node) =>
  new StateGraph(MessagesAnnotation).addNode("only", node).addEdge(START, "only").addEdge("only", END).compile();
