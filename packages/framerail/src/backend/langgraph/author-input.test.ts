import { expect, test } from "vitest";
import { keepContext, TURN } from "../testing/kept-context.js";
import { fromLangGraph } from "./from-lang-graph.js";

test("a cancel ends the wait for an author's input, and a turn that it ended asks for none [W-CAN-1]", async () => {
  const context = keepContext();
  const graph = { stream: () => Promise.reject(new Error("touched")) };
  let asked = 0;
  const input = () => {
    asked += 1;
    return new Promise(() => undefined);
  };
  const agent = fromLangGraph(graph, { id: "shop", input });
  const run = agent.run(TURN, context);
  context.cancel();
  await expect(run).rejects.toBe(context.signal.reason);
  await expect(agent.run(TURN, context)).rejects.toBe(context.signal.reason);
  expect(asked).toBe(1);
});

test("an input that rejects fails its turn, as the author threw it", async () => {
  const thrown = new Error("no input");
  const graph = { stream: () => Promise.reject(new Error("touched")) };
  const agent = fromLangGraph(graph, { id: "shop", input: () => Promise.reject(thrown) });
  await expect(agent.run(TURN, keepContext())).rejects.toBe(thrown);
});
