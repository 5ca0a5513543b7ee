import { EventEmitter, once } from "node:events";
import { FramerailError } from "@framerail/protocol";
import { AIMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { expect, test } from "vitest";
import type { TurnInput } from "../../agent/agent.js";
import { writer } from "../../agent/writer.js";
import { keepContext, TURN } from "../testing/kept-context.js";
import { fromLangGraph } from "./from-lang-graph.js";
import type { StreamableGraph } from "./graph.js";
import { callPieces } from "./testing/offer-graph.js";
import type { Node } from "./testing/play-graph.js";
import { fail, graphOf, only, play } from "./testing/play-graph.js";
import { ScriptedChatModel } from "./testing/scripted-chat-model.js";

test("a graph without a checkpointer is given the history with the message, one with a checkpointer is not", async () => {
  const seen: string[][] = [];
  const node: Node = ({ messages }) => {
    seen.push(messages.map(({ type, content }) => `${type}: ${String(content)}`));
    return Promise.resolve({});
  };
  await play(graphOf(node));
  const kept = new StateGraph(MessagesAnnotation).addNode("only", node).addEdge(START, "only");
  await play(kept.compile({ checkpointer: new MemorySaver() }));
  expect(seen).toEqual([["human: Hello", "ai: Hello to you", "human: Find me an offer"], ["human: Find me an offer"]]);
});

test("conversations of one graph with a checkpointer are kept apart", async () => {
  const seen: number[] = [];
  const node: Node = ({ messages }) => {
    seen.push(messages.length);
    return Promise.resolve({});
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("only", node)
    .addEdge(START, "only")
    .compile({ checkpointer: new MemorySaver() });
  for (const conversation_id of ["a", "b", "a"]) await play(graph, {}, { ...TURN, conversation_id });
  expect(seen).toEqual([1, 1, 2]);
});

test("a custom event with a status id becomes a status whose metadata are values only [W-SW-3]", async () => {
  const graph = graphOf((_, config) => {
    config.writer?.({ event_type: "searching_offers", tool_id: "t1", count: 2 });
    config.writer?.({ event_type: "done_searching" });
    return Promise.resolve({});
  });
  const played = await play(graph);
  expect(played.events).toEqual([
    { type: "status", event_id: "searching_offers", values: { tool_id: "t1", count: 2 } },
    { type: "status", event_id: "done_searching" },
  ]);
});

test("the key of a status can be the graph's own", async () => {
  const graph = graphOf((_, config) => {
    config.writer?.({ step: "searching_offers" });
    return Promise.resolve({});
  });
  expect((await play(graph, { statusKey: "step" })).events).toEqual([{ type: "status", event_id: "searching_offers" }]);
});

test("a custom event of our vocabulary passes, what is none is ignored and told without its content", async () => {
  const graph = graphOf((_, config) => {
    config.writer?.({ type: "message", content: "hi" });
    for (const odd of [
      "s3cret",
      { event_type: "Looking for s3cret things…" },
      { event_type: "searching_offers", run: () => "s3cret" },
      { type: "end_stream", status: "success", total_duration_ms: 1 },
      { type: "error", message: "s3cret" },
      { type: "text", content: 7 },
      ["s3cret"],
      null,
    ])
      config.writer?.(odd);
    return Promise.resolve({});
  });
  const played = await play(graph);
  expect(played.end).toEqual({ kind: "completed" });
  expect(only(played, "text")).toEqual([{ type: "text", content: "hi" }]);
  expect(played.types().filter((type) => type !== "log")).toEqual(["text"]);
  expect(only(played, "log").length).toBe(8);
  expect(JSON.stringify(played.events)).not.toContain("s3cret");
});

test("writer() works at any depth of a node, and two turns at the same time keep apart [W-SW-1]", async () => {
  const graph = graphOf(async ({ messages }) => {
    const name = String(messages.at(-1)?.content);
    for (let step = 0; step < 5; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await Promise.resolve().then(() => writer().text(name));
    }
    return {};
  });
  const turns: TurnInput[] = ["a", "b"].map((message) => ({ ...TURN, message, conversation_id: message }));
  const played = await Promise.all(turns.map((turn) => play(graph, {}, turn)));
  expect(played.map((each) => each.text())).toEqual(["aaaaa", "bbbbb"]);
});

test("writer() works in a graph that runs only while it is pulled [W-SW-1]", async () => {
  async function* pulled() {
    await Promise.resolve();
    writer().text("pulled");
    yield [[], "custom", { event_type: "searching_offers" }];
  }
  const played = await play({ stream: () => Promise.resolve(pulled()) });
  expect(played.types()).toEqual(["text", "status"]);
});

test("an interrupt pauses the turn, and the next turn of the conversation goes on from it [C-24]", async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("ask", () => {
      const answer: unknown = interrupt({ question: "Buy it?" });
      return { messages: [new AIMessage(`You said ${String(answer)}`)] };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  const first = await play(graph);
  expect(first.end).toEqual({ kind: "paused", limit: "state_limit" });
  expect(JSON.stringify(first.events)).not.toContain("Buy it");
  const input = ({ message }: TurnInput) => new Command({ resume: message });
  const second = await play(graph, { input }, { ...TURN, message: "yes" });
  expect(second.end).toEqual({ kind: "completed" });
  expect(second.text()).toBe("You said yes");
});

test("an interrupt inside a nested graph pauses the turn, and its model's text is shown", async () => {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("talk", async ({ messages }) => ({
      messages: [await new FakeListChatModel({ responses: ["Hello"] }).invoke(messages)],
    }))
    .addNode("ask", () => {
      interrupt("Buy it?");
      return {};
    })
    .addEdge(START, "talk")
    .addEdge("talk", "ask")
    .compile();
  const outer = new StateGraph(MessagesAnnotation).addNode("inner", inner).addEdge(START, "inner");
  const played = await play(outer.compile({ checkpointer: new MemorySaver() }));
  expect(played.end).toEqual({ kind: "paused", limit: "state_limit" });
  expect(played.text()).toBe("Hello");
});

test("a graph that has taken all its steps has paused, and has not failed [C-24]", async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("again", () => ({ messages: [] }))
    .addEdge(START, "again")
    .addEdge("again", "again")
    .compile();
  expect((await play(graph)).end).toEqual({ kind: "paused", limit: "state_limit" });
});

test("what a node throws reaches nobody but operators: the code tells who failed", async () => {
  const rows: [object, string][] = [
    [new Error("s3cret"), "MODEL_FAILED"],
    [Object.assign(new Error("s3cret"), { status: 429 }), "RATE_LIMITED"],
    [Object.assign(new Error("s3cret"), { lc_error_code: "MODEL_RATE_LIMIT" }), "RATE_LIMITED"],
    [new FramerailError("SUB_AGENT_FAILED", "flights failed"), "SUB_AGENT_FAILED"],
  ];
  for (const [thrown, code] of rows) {
    const error = await fail(graphOf(() => Promise.reject(thrown as Error)));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain("s3cret");
    expect(error === thrown || error.cause === thrown).toBe(true);
  }
  const model = new ScriptedChatModel(callPieces("call_1", "shoes"));
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", () => Promise.reject(new Error("s3cret")))
    .addEdge(START, "agent")
    .addEdge("agent", "tools")
    .compile();
  expect(await fail(graph)).toMatchObject({ code: "TOOL_FAILED", message: expect.not.stringContaining("s3cret") });
});

test("a cancel stops the model at once and starts no further node [W-CAN-1, C-21]", async () => {
  let stopped = false;
  let reached = false;
  const context = keepContext();
  const model = new ScriptedChatModel([
    { content: "Hello" },
    (signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("aborted"));
        });
        setTimeout(context.cancel, 5);
      }),
  ]);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("next", () => {
      reached = true;
      return {};
    })
    .addEdge(START, "agent")
    .addEdge("agent", "next")
    .compile();
  expect(await fail(graph, context)).toBe(context.signal.reason);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([stopped, reached]).toEqual([true, false]);
  expect(context.text()).toBe("Hello");
  expect(only(context, "metrics")).toMatchObject([{ estimated: true }]);
});

test("a cancelled turn does not wait for a node that hears no signal, and drops what it writes later [C-21]", async () => {
  const context = keepContext();
  const gate = new EventEmitter();
  const graph = graphOf(async (_, config) => {
    context.cancel();
    await once(gate, "open");
    config.writer?.({ event_type: "too_late" });
    gate.emit("finished");
    return { messages: [new AIMessage("too late")] };
  });
  expect(await fail(graph, context)).toBe(context.signal.reason);
  const finished = once(gate, "finished");
  gate.emit("open");
  await finished;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(context.events).toEqual([]);
});

test("a turn that is cancelled before it starts does not touch the graph [W-CAN-1]", async () => {
  const context = keepContext();
  context.cancel();
  let touched = false;
  const graph: StreamableGraph = {
    stream(input, options) {
      touched = true;
      return graphOf(() => Promise.resolve({})).stream(input as object, options);
    },
  };
  expect(await fail(graph, context)).toBe(context.signal.reason);
  expect(touched).toBe(false);
});

test("the graph waits while the writer holds its author back [D-6]", async () => {
  const context = keepContext();
  context.hold = new Promise(() => undefined);
  const graph = graphOf((_, config) => {
    for (let index = 0; index < 50; index += 1) config.writer?.({ type: "text", content: "x" });
    return Promise.resolve({});
  });
  const run = fail(graph, context);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(context.text()).toBe("x");
  context.cancel();
  await run;
});

test("an agent without a compiled graph or with a wrong id is refused when it is made", () => {
  const graph = graphOf(() => Promise.resolve({}));
  expect(fromLangGraph(graph, { id: "shop", emits: ["searching_offers"] }).manifest.emitters).toEqual([
    { id: "shop", emits: ["searching_offers"] },
  ]);
  for (const make of [
    () => fromLangGraph({} as StreamableGraph, { id: "shop" }),
    () => fromLangGraph(graph, { id: "two words" }),
    () => fromLangGraph(graph, { id: "shop", emits: ["Not an id"] }),
  ])
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_AGENT" }));
});

test("a turn that fails on our side stops the graph as well", async () => {
  const context = keepContext();
  let heard = false;
  const graph = graphOf(async (_, config) => {
    const stopped = new Promise<void>((resolve) => {
      config.signal?.addEventListener("abort", () => {
        heard = true;
        resolve();
      });
    });
    config.writer?.({ type: "text", content: "x" });
    await stopped;
    return {};
  });
  context.hold = Promise.reject(new FramerailError("PACE_EXCEEDED", "the log is gone"));
  expect((await fail(graph, context)).code).toBe("PACE_EXCEEDED");
  expect(heard).toBe(true);
});
