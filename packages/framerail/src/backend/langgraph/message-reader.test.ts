import { beforeEach, expect, test } from "vitest";
import { ARGUMENTS_LENGTH_MAX, CALLS_PER_TURN_MAX, OPEN_MESSAGES_MAX } from "../limits.js";
import { createNotices } from "../notices.js";
import { handClock } from "../testing/hand-clock.js";
import type { KeptContext } from "../testing/kept-context.js";
import { keepContext } from "../testing/kept-context.js";
import { MessageReader } from "./message-reader.js";

let context: KeptContext;
let reader: MessageReader;
const clock = handClock();

beforeEach(() => {
  context = keepContext();
  const { writer } = context;
  reader = new MessageReader({
    agentId: "shop",
    clock,
    notice: createNotices(writer),
    write: (event) => writer.write(event),
  });
});

const piece = (id: string, fields: object = {}) => ({ type: "ai", id, content: "", tool_call_chunks: [], ...fields });
const asking = (call: string, args = "{}") => ({ tool_call_chunks: [{ index: 0, id: call, name: "search", args }] });
const task = (name: string, model = {}) => ({ langgraph_checkpoint_ns: name, ...model });
const toldCalls = () => context.events.flatMap((event) => (event.type === "tool_call" ? [event.tool_call_id] : []));

test("of several tasks of one node only the message that the update names is whole", () => {
  reader.take(piece("m1", asking("c1")), task("work:1"));
  reader.take(piece("m2", asking("c2")), task("work:2"));
  reader.endNode([], "work", { answers: [{ id: "m2" }] });
  expect(toldCalls()).toEqual(["c2"]);
  reader.endNode([], "work", { answers: [] });
  expect(toldCalls()).toEqual(["c2", "c1"]);
});

test("the end of another node, or of one of the same name in another graph, leaves a message alone", () => {
  reader.take(piece("m1", asking("c1")), task("outer:1|work:2"));
  reader.endNode([], "work", {});
  reader.endNode([], "out", {});
  reader.endNode(["outer:9"], "work", {});
  expect(toldCalls()).toEqual([]);
  reader.endNode(["outer:1"], "work", {});
  expect(toldCalls()).toEqual(["c1"]);
});

test("a task that begins another message has told those calls of the one before that are whole", () => {
  reader.take(piece("m1", asking("c1")), task("work:1"));
  reader.take(piece("m2", asking("c2", '{"q":')), task("work:1"));
  reader.take(piece("m3", asking("c3", "")), task("work:1"));
  reader.take(piece("m4"), task("work:1"));
  expect(toldCalls()).toEqual(["c1"]);
  reader.endNode([], "work", {});
  expect(toldCalls()).toEqual(["c1", "c2", "c3"]);
});

test("a tool that answers shows that its message is whole", () => {
  reader.take(piece("m1", asking("c1")), task("work:1"));
  reader.take({ type: "tool", tool_call_id: "c1", name: "other", content: "2" }, {});
  expect(context.events).toMatchObject([
    { type: "tool_call", tool_name: "search", arguments: {} },
    { type: "tool_result", result: "2" },
  ]);
});

test("a call is told once, however many copies of its message there are", () => {
  const whole = { type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: { q: 1 } }] };
  reader.take({ ...whole, id: "m1" }, {});
  reader.take({ ...whole, id: "m2" }, {});
  const tool_calls = [{ id: "c2", name: "search", args: { q: 2 } }];
  reader.take(piece("m3", { tool_calls }), task("work:1"));
  reader.take(piece("m3", { tool_calls }), task("work:1"));
  reader.end({ failed: false });
  expect(context.events).toMatchObject([
    { type: "tool_call", tool_call_id: "c1", arguments: { q: 1 } },
    { type: "tool_call", tool_call_id: "c2", arguments: { q: 2 } },
  ]);
});

test("what a piece is guessed to become does not count beside the piece itself", () => {
  reader.take(piece("m1", asking("c1", '{"q":')), task("work:1"));
  const tool_calls = [{ id: "guess", name: "guess", args: { q: 0 } }];
  const last = { tool_call_chunks: [{ index: 0, args: "1}" }], tool_calls };
  reader.take(piece("m1", last), task("work:1"));
  reader.end({ failed: false });
  expect(context.events).toMatchObject([{ tool_call_id: "c1", tool_name: "search", arguments: { q: 1 } }]);
});

test("arguments that are no JSON are kept as their text, and none at all are an empty object", () => {
  reader.take(piece("m1", asking("c1", '{"q":')), task("work:1"));
  reader.take(piece("m2", asking("c2", "")), task("work:2"));
  reader.take(piece("m3", asking("c3", '"\\ud83d"')), task("work:3"));
  reader.end({ failed: false });
  expect(context.events.map((event) => event.type === "tool_call" && event.arguments)).toEqual([
    '{"q":',
    {},
    '"\\ud83d"',
  ]);
});

test("a call without a usable id or name is ignored and told to operators", () => {
  reader.take(
    piece("m1", { tool_call_chunks: [{ index: 0, id: "c1", name: "x".repeat(300), args: "" }] }),
    task("a:1"),
  );
  reader.take(piece("m2", { tool_call_chunks: [{ index: 0, name: "search", args: "" }] }), task("a:1"));
  reader.end({ failed: false });
  reader.take({ type: "tool", tool_call_id: "c1", name: "x".repeat(300), content: "2" }, {});
  expect(context.types()).toEqual(["log", "log"]);
});

test("a whole call without an id leaves the arguments of the one before it alone", () => {
  const tool_calls = [
    { id: "c1", name: "search", args: { q: 1 } },
    { name: "search", args: { q: 2 } },
  ];
  reader.take({ type: "ai", id: "m1", content: "", tool_calls }, {});
  expect(context.events).toMatchObject([{ type: "tool_call", tool_call_id: "c1", arguments: { q: 1 } }]);
});

test("a tool message that answers nobody is ignored and told as such", () => {
  for (const fields of [{}, { tool_call_id: "" }, { tool_call_id: 7 }])
    reader.take({ type: "tool", name: "search", content: "2", ...fields }, {});
  expect(context.events.map((event) => event.type === "log" && event.message)).toEqual(
    Array(3).fill("a tool message without a call was ignored"),
  );
});

test("a result that JSON cannot carry is null, and a time that went back is no negative duration", () => {
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  reader.take(piece("m1", asking("c1")), task("a:1"));
  reader.endNode([], "a", {});
  clock.pass(-50);
  reader.take({ type: "tool", tool_call_id: "c1", content: [cyclic], status: "error" }, {});
  expect(context.events[1]).toMatchObject({ type: "tool_result", result: null, is_error: true, duration_ms: 0 });
});

test("a model's name that no event may hold is replaced by the agent's id", () => {
  const model = { ls_model_type: "chat", ls_model_name: "m".repeat(300) };
  reader.take(
    piece("m1", { content: "abcd", usage_metadata: { input_tokens: -1, output_tokens: 0.5 } }),
    task("a:1", model),
  );
  reader.end({ failed: false });
  expect(context.events[1]).toMatchObject({ type: "metrics", model: "shop", tokens: { total_tokens: 0 } });
});

test("the total of a model call is the sum of its parts, whatever its provider bills", () => {
  const usage_metadata = { input_tokens: 3, output_tokens: 4, total_tokens: 100 };
  reader.take({ type: "ai", id: "m1", content: "", usage_metadata }, {});
  expect(context.events).toMatchObject([{ type: "metrics", tokens: { total_tokens: 7 } }]);
});

test("half of a character in a tool's answer is replaced, for no event may hold it", () => {
  reader.take({ type: "tool", tool_call_id: "c1", name: "search", content: "a\ud83d" }, {});
  expect(context.events[1]).toMatchObject({ type: "tool_result", result: "a\ufffd" });
});

test("a piece without index and id goes on with the latest call", () => {
  const chunks = [
    { id: "c1", name: "search", args: '{"q":' },
    { args: "1}" },
    { id: "c2", name: "search", args: '{"q":' },
    { index: null, id: null, args: "2}" },
  ];
  for (const chunk of chunks) reader.take(piece("m1", { tool_call_chunks: [chunk] }), task("a:1"));
  reader.end({ failed: false });
  expect(context.events).toMatchObject([
    { tool_call_id: "c1", arguments: { q: 1 } },
    { tool_call_id: "c2", arguments: { q: 2 } },
  ]);
});

test("calls that their provider all gives one index are told apart by their ids", () => {
  const chunks = [
    { index: 0, id: "c1", name: "search", args: '{"q":1}' },
    { index: 0, id: "c2", name: "search", args: '{"q":' },
    { index: 0, args: "2}" },
  ];
  for (const chunk of chunks) reader.take(piece("m1", { tool_call_chunks: [chunk] }), task("a:1"));
  reader.end({ failed: false });
  expect(context.events).toMatchObject([
    { tool_call_id: "c1", arguments: { q: 1 } },
    { tool_call_id: "c2", arguments: { q: 2 } },
  ]);
});

test("more messages at the same time than the maximum end the run", () => {
  for (let index = 0; index < OPEN_MESSAGES_MAX; index += 1) reader.take(piece(`m${index}`), task(`a:${index}`));
  expect(() => reader.take(piece("one more"), task("a:more"))).toThrow(
    expect.objectContaining({ code: "MODEL_FAILED" }),
  );
});

test("a task may begin more messages than that: the oldest of its own is taken for whole", () => {
  const model = { ls_model_type: "chat" };
  for (let index = 0; index < OPEN_MESSAGES_MAX + 2; index += 1) reader.take(piece(`m${index}`), task("a:1", model));
  expect(context.types()).toEqual(["metrics", "metrics"]);
  reader.endNode([], "a", {});
  expect(context.types()).toHaveLength(OPEN_MESSAGES_MAX + 2);
});

test("longer arguments than the maximum end the run", () => {
  const half = "x".repeat(ARGUMENTS_LENGTH_MAX / 2);
  reader.take(piece("m1", asking("c1", half)), task("a:1"));
  reader.take(piece("m1", asking("c1", half)), task("a:1"));
  expect(() => reader.take(piece("m1", asking("c1", "x")), task("a:1"))).toThrow(
    expect.objectContaining({ code: "MODEL_FAILED" }),
  );
});

test("more calls in one message or in one turn than the maximum end the run", () => {
  const calls = Array.from({ length: CALLS_PER_TURN_MAX }, (_, index) => ({ index, id: `c${index}`, name: "search" }));
  const tooMany = { index: CALLS_PER_TURN_MAX, id: "one more", name: "search" };
  reader.take(piece("m1", { tool_call_chunks: calls }), task("a:1"));
  expect(() => reader.take(piece("m1", { tool_call_chunks: [tooMany] }), task("a:1"))).toThrow(
    expect.objectContaining({ code: "MODEL_FAILED" }),
  );
  reader.endNode([], "a", {});
  expect(() => reader.take({ type: "ai", id: "m2", content: "", tool_calls: [tooMany] }, {})).toThrow(
    expect.objectContaining({ code: "MODEL_FAILED" }),
  );
});
