// Calls whose ids say too little: used again by a provider that counts from zero, or told by a node as well.

import { describe, expect, test } from "vitest";
import { play } from "../../dispatch/testing/turn-bench.js";
import { fromLangGraph } from "./from-lang-graph.js";

const MODEL = { ls_model_type: "chat" };
const playItems = async (...items: readonly unknown[]) => {
  const stream = async () =>
    (async function* () {
      yield* items;
    })();
  const played = await play(fromLangGraph({ stream }, { id: "shop" }));
  const told = played.events.flatMap(({ event }) =>
    "tool_call_id" in event ? [`${event.type} ${event.tool_call_id}`] : [],
  );
  return { ...played, told };
};
const asks = (id: string, call: string, args: object = {}, metadata: object = MODEL) => [
  [],
  "messages",
  [
    { type: "ai", id, content: "", tool_calls: [{ id: call, name: "search", args }] },
    { langgraph_checkpoint_ns: `agent:${id}`, ...metadata },
  ],
];
const answers = (call: string, content: string) => [
  [],
  "messages",
  [
    { type: "tool", id: `t${content}`, tool_call_id: call, name: "search", content },
    { langgraph_checkpoint_ns: "tools:1" },
  ],
];
const says = (event: object) => [[], "custom", event];
const ownCall = { type: "tool_call", tool_call_id: "c0", tool_name: "search", arguments: {}, timestamp: 1 };
const ownResult = { type: "tool_result", tool_call_id: "c0", result: 1, is_error: false, duration_ms: 1 };
const PAIR = ["tool_call c0", "tool_result c0", "tool_call_end c0"];
const SECOND = ["tool_call c0~2", "tool_result c0~2", "tool_call_end c0~2"];

describe("a graph whose model counts its calls from zero in every answer", () => {
  test("loses none of them, also when they are the same [G6] [C-11]", async () => {
    const { told, outcome, events } = await playItems(
      ...[asks("m1", "c0", { q: 1 }), answers("c0", "one")],
      ...[asks("m2", "c0", { q: 1 }), answers("c0", "two")],
    );
    expect(outcome).toEqual({ kind: "completed" });
    expect(told).toEqual([...PAIR, ...SECOND]);
    expect(events.flatMap(({ event }) => (event.type === "tool_result" ? [event.result] : []))).toEqual(["one", "two"]);
  });

  test("and puts its answers into messages by hand, is told from one that gives copies [G6]", async () => {
    const copied = [asks("m1", "c0", { q: 1 }, {}), answers("c0", "one"), asks("m2", "c0", { q: 1 }, {})];
    expect((await playItems(...copied)).told).toEqual(PAIR);
    const again = [...copied, asks("m3", "c0", { q: 2 }, {}), answers("c0", "two")];
    expect((await playItems(...again)).told).toEqual([...PAIR, ...SECOND]);
  });

  test("does not tell the same message twice, whenever it comes again", async () => {
    expect((await playItems(asks("m1", "c0"), answers("c0", "one"), asks("m1", "c0"))).told).toEqual(PAIR);
  });
});

describe("a node that tells its model's call itself", () => {
  test.each([
    ["before its message", [says(ownCall), asks("m1", "c0"), answers("c0", "one")]],
    ["after its message", [asks("m1", "c0"), says(ownCall), answers("c0", "one")]],
    ["without a message", [says(ownCall), answers("c0", "one")]],
    ["with its result, before its message", [says(ownCall), says(ownResult), asks("m1", "c0"), answers("c0", "one")]],
    ["with its result, after its message", [asks("m1", "c0"), says(ownCall), says(ownResult), answers("c0", "one")]],
  ])("%s shows it once, and the turn goes on [G6] [W-SW-3]", async (_, items) => {
    const { outcome, told } = await playItems(...items);
    expect(outcome).toEqual({ kind: "completed" });
    expect(told).toEqual(PAIR);
  });

  test("and uses an id again has told another one", async () => {
    const { told } = await playItems(
      ...[asks("m1", "c0"), answers("c0", "one")],
      ...[says(ownCall), asks("m2", "c0"), answers("c0", "two")],
    );
    expect(told).toEqual([...PAIR, ...SECOND]);
  });
});
