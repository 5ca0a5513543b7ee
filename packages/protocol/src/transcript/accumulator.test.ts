import { describe, expect, expectTypeOf, test } from "vitest";
import { isFramerailError } from "../error.js";
import type { AgentEvent } from "../event/vocabulary.js";
import { compileCheck } from "../schema/check.js";
import type { MessageAccumulator } from "./accumulator.js";
import { createMessageAccumulator } from "./accumulator.js";
import { assistantMessageSchema } from "./assistant-message.js";
import { SAMPLE_DOCUMENT, SAMPLE_END, SAMPLE_STEPS, SAMPLE_TURN } from "./testing/sample.js";
import type { TranscriptEvent } from "./transcript-event.js";

const turn = { runId: "r", conversationId: "c", startedAt: 100 };
const end = { messageId: SAMPLE_END.messageId, endedAt: 900, incomplete: false };
const text = (content: string) => ({ type: "text", content }) as const;
const reasoning = (content: string) => ({ type: "reasoning", content }) as const;
const call = (id: string, timestamp: number) =>
  ({ type: "tool_call", tool_call_id: id, tool_name: "search", arguments: {}, timestamp }) as const;
const result = (id: string) =>
  ({ type: "tool_result", tool_call_id: id, result: { id }, is_error: false, duration_ms: 1 }) as const;

/** An accumulator that was given each event at its place times ten. */
function gather(...events: readonly { readonly type: string }[]): MessageAccumulator {
  const accumulator = createMessageAccumulator(turn);
  events.forEach((event, index) => {
    accumulator.add(event, index * 10);
  });
  return accumulator;
}

/** Each item as `kind@timestamp:text`, in order. */
function outline(accumulator: MessageAccumulator): string[] {
  return accumulator
    .items()
    .map((item) => `${item.type}@${item.timestamp}${"content" in item ? `:${item.content}` : ""}`);
}

function refusalOf(act: () => unknown): readonly [code: string, path: string | undefined] {
  try {
    act();
  } catch (caught) {
    if (isFramerailError(caught)) return [caught.code, caught.issue?.path];
    throw caught;
  }
  throw new Error("nothing was thrown");
}

test("the sample turn gives the sample document: six items, 700 ms, 45, 28 and 15 tokens [P-18, P-36, P-41]", () => {
  const accumulator = createMessageAccumulator(SAMPLE_TURN);
  for (const [event, now] of SAMPLE_STEPS) accumulator.add(event, now);
  const document = accumulator.finalize(SAMPLE_END);
  expect(document).toEqual(SAMPLE_DOCUMENT);
  expect(JSON.stringify(document)).toBe(JSON.stringify(SAMPLE_DOCUMENT));
  expect(compileCheck(assistantMessageSchema)(document)).toBeUndefined();
});

describe("text", () => {
  test("a new accumulator has no items and no text, and its first item is number 0 [P-25]", () => {
    const accumulator = createMessageAccumulator(turn);
    expect([accumulator.items(), accumulator.text()]).toEqual([[], ""]);
    accumulator.add(text("a"), 1);
    expect(accumulator.items()).toEqual([{ type: "message", sequence: 0, content: "a", timestamp: 1 }]);
  });

  test("reasoning chunks join into one item with the time of the first [P-29, P-30, P-32]", () => {
    expect(outline(gather(reasoning("a"), reasoning("b"), reasoning("c")))).toEqual(["reasoning@0:abc"]);
  });

  test("answer chunks join into one message item with the time of the first [P-29, P-31, P-32]", () => {
    expect(outline(gather(text("a"), text("b"), text("c")))).toEqual(["message@0:abc"]);
  });

  test("a change of kind closes the item and begins another [P-26, P-30, P-31]", () => {
    expect(outline(gather(text("a"), reasoning("b"), reasoning("c"), text("d")))).toEqual([
      "message@0:a",
      "reasoning@10:bc",
      "message@30:d",
    ]);
  });

  test("text without a character makes no item and takes no number [P-26, P-27]", () => {
    const accumulator = gather(reasoning(""), text("a"), reasoning(""), call("x", 7), text(""));
    expect(outline(accumulator)).toEqual(["message@10:a", "tool_call@7"]);
    expect(accumulator.finalize(end).content_items.map((item) => item.sequence)).toEqual([0, 1]);
  });

  test("an empty chunk begins its item: the time is its time [P-27, P-29]", () => {
    expect(outline(gather(text(""), text("a")))).toEqual(["message@0:a"]);
  });

  test("an event of no content between two chunks does not part them [P-32, P-35]", () => {
    const accumulator = gather(text("a"), { type: "status" }, { type: "node_enter" }, text("b"));
    expect(outline(accumulator)).toEqual(["message@0:ab"]);
  });

  test("the text is all message items joined, finished and growing, and no reasoning [C-36]", () => {
    const accumulator = gather(text("a"), reasoning("no"), text("b"), call("x", 1), text("c"));
    expect(accumulator.text()).toBe("abc");
    accumulator.finalize(end);
    expect(accumulator.text()).toBe("abc");
  });
});

describe("what is not text", () => {
  test("a tool call closes pending text and keeps its own time [P-33]", () => {
    expect(outline(gather(reasoning("a"), call("x", 3), reasoning("b")))).toEqual([
      "reasoning@0:a",
      "tool_call@3",
      "reasoning@20:b",
    ]);
  });

  test("a tool result closes pending text too, so text begun before it stays before it [P-34, I-19]", () => {
    expect(outline(gather(call("x", 3), text("while it "), text("runs"), result("x"), text("after")))).toEqual([
      "tool_call@3",
      "message@10:while it runs",
      "tool_result@30",
      "message@40:after",
    ]);
  });

  test("loaded data and components close pending text and become component items [C-35, I-19]", () => {
    const loaded = { type: "data_loaded", id: "d1", data_type: "offer_list", items: [{ n: 1 }], key: { ids: [] } };
    const shown = {
      type: "component",
      data_id: "d2",
      data_type: "card",
      chunk: { title: "t" },
      tool_call_id: "x",
      tool_name: "n",
    };
    const accumulator = gather(text("a"), loaded, text("b"), shown, text("c"));
    expect(accumulator.items().filter((item) => item.type === "component")).toEqual([
      { type: "component", sequence: 1, data_id: "d1", data_type: "offer_list", items: [{ n: 1 }], timestamp: 10 },
      {
        type: "component",
        sequence: 3,
        data_id: "d2",
        data_type: "card",
        chunk: { title: "t" },
        tool_call_id: "x",
        timestamp: 30,
      },
    ]);
    expect(outline(accumulator)).toEqual([
      "message@0:a",
      "component@10",
      "message@20:b",
      "component@30",
      "message@40:c",
    ]);
  });

  test("every other type of event adds nothing [P-35]", () => {
    const others = ["init_stream", "node_enter", "node_exit", "error", "end_stream", "status", "data_loading", "usage"];
    const strange = ["message", "toString", "__proto__", ""];
    expect(gather(...[...others, ...strange].map((type) => ({ type, content: "x" }))).items()).toEqual([]);
  });

  test("a result that its tool changes afterwards stays in history as it was [P-23]", () => {
    const answer = { rows: [1] };
    const accumulator = gather({ ...result("x"), result: answer } as { type: string });
    answer.rows.push(2);
    expect(accumulator.items()[0]).toMatchObject({ result: { rows: [1] } });
  });

  test("the events of the vocabulary fit as they are [P-35]", () => {
    expectTypeOf<AgentEvent>().toExtend<Parameters<MessageAccumulator["add"]>[0]>();
    expectTypeOf<Extract<AgentEvent, { type: TranscriptEvent["type"] }>>().toExtend<TranscriptEvent>();
  });
});

describe("the end", () => {
  test("pending text is closed, and times, counts and the flag are as given [P-36]", () => {
    const tokensUsed = { prompt_tokens: 1, completion_tokens: 2, reasoning_tokens: 0 };
    expect(gather(text("a")).finalize({ ...end, tokensUsed })).toEqual({
      _id: end.messageId,
      conversation_id: "c",
      run_id: "r",
      role: "assistant",
      content_items: [{ type: "message", sequence: 0, content: "a", timestamp: 0 }],
      created_at: 100,
      completed_at: 900,
      duration_ms: 800,
      tokens_used: tokensUsed,
      incomplete: false,
    });
  });

  test("a turn that failed or was cancelled keeps what it had, marked incomplete [P-63, C-34]", () => {
    const document = gather(reasoning("a"), call("x", 2), { type: "error" }).finalize({ ...end, incomplete: true });
    expect(document).toMatchObject({ incomplete: true, content_items: [{ type: "reasoning" }, { type: "tool_call" }] });
    expect(document).not.toHaveProperty("tokens_used");
  });

  test("reasoning that led to no answer is a whole message [P-54]", () => {
    const accumulator = gather(reasoning("a"));
    const document = accumulator.finalize(end);
    expect(compileCheck(assistantMessageSchema)(document)).toBeUndefined();
    expect(accumulator.text()).toBe("");
  });

  test("a clock that was set back gives no negative duration [P-36, P-61]", () => {
    expect(gather().finalize({ ...end, endedAt: 40 })).toMatchObject({ completed_at: 100, duration_ms: 0 });
  });

  test("nothing can be added and nothing finalized once the message is final [P-36]", () => {
    const accumulator = gather(text("a"));
    const { content_items } = accumulator.finalize(end);
    expect(refusalOf(() => accumulator.finalize(end))).toEqual(["INVARIANT_VIOLATION", undefined]);
    expect(refusalOf(() => accumulator.add(text("b"), 1))).toEqual(["INVARIANT_VIOLATION", undefined]);
    expect(refusalOf(() => accumulator.add({ type: "status" }, 1))).toEqual(["INVARIANT_VIOLATION", undefined]);
    expect(accumulator.items()).toEqual(content_items);
  });

  test("a refused end leaves the message open [P-36]", () => {
    const accumulator = gather(text("a"));
    expect(refusalOf(() => accumulator.finalize({ ...end, messageId: "msg_1" }))).toEqual([
      "INVALID_ARGUMENT",
      "messageId",
    ]);
    accumulator.add(text("b"), 1);
    expect(accumulator.finalize(end).content_items).toMatchObject([{ content: "ab" }]);
  });
});

describe("a snapshot", () => {
  test("shows the growing text as the last item after each chunk [P-50]", () => {
    const accumulator = gather(reasoning("a"));
    const seen = [text("b"), text("c"), call("x", 5)].map((event, index) => {
      accumulator.add(event, 50 + index);
      return outline(accumulator).join(" ");
    });
    expect(seen).toEqual([
      "reasoning@0:a message@50:b",
      "reasoning@0:a message@50:bc",
      "reasoning@0:a message@50:bc tool_call@5",
    ]);
  });

  test("does not change when more events come, nor the message when the snapshot is changed [P-50]", () => {
    const accumulator = gather(text("a"));
    const before = accumulator.items();
    accumulator.add(text("b"), 1);
    accumulator.add(call("x", 2), 2);
    expect(before).toEqual([{ type: "message", sequence: 0, content: "a", timestamp: 0 }]);
    (accumulator.items() as unknown[]).length = 0;
    (accumulator.finalize(end).content_items as unknown[]).length = 0;
    expect(accumulator.items()).toHaveLength(2);
  });
});

describe("bad input", () => {
  const wrong: readonly [path: string, event: unknown, now?: unknown][] = [
    ["event", undefined],
    ["event", null],
    ["event", "text"],
    ["event", new Map()],
    ["event.type", {}],
    ["event.type", { type: 1 }],
    ["now", text("a"), Number.NaN],
    ["now", text("a"), -1],
    ["now", { type: "status" }, undefined],
    ["content", { type: "text" }],
    ["content", { type: "reasoning", content: "\ud83d" }],
    ["tool_call_id", { ...call("x", 1), tool_call_id: "" }],
    ["timestamp", call("x", 0.5)],
    ["arguments", { ...call("x", 1), arguments: undefined }],
    ["arguments.f", { ...call("x", 1), arguments: { f: () => 1 } }],
    ["result.__proto__", { ...result("x"), result: JSON.parse('{"__proto__":1}') }],
    ["is_error", { ...result("x"), is_error: 1 }],
    ["duration_ms", { ...result("x"), duration_ms: -1 }],
    ["id", { type: "data_loaded", data_type: "t", items: [] }],
    ["items", { type: "data_loaded", id: "d", data_type: "t", key: { ids: [] }, items: {} }],
    ["chunk", { type: "component", data_id: "d", data_type: "t", tool_call_id: "x", tool_name: "n" }],
  ];
  for (const [path, event, ...time] of wrong)
    test(`an event whose ${path} is wrong is refused and changes nothing: ${describeValue(event)} [P-35, P-61]`, () => {
      const accumulator = gather(text("a"));
      const now = time.length === 0 ? 5 : time[0];
      expect(refusalOf(() => accumulator.add(event as never, now as never))).toEqual(["INVALID_EVENT", path]);
      accumulator.add(text("b"), 10);
      expect(outline(accumulator)).toEqual(["message@0:ab"]);
    });

  test("a turn without its ids or its start, and an end without its fields, are refused by name [P-25, P-36]", () => {
    for (const name of ["runId", "conversationId", "startedAt"])
      expect(refusalOf(() => createMessageAccumulator({ ...turn, [name]: -1 } as never))).toEqual([
        "INVALID_ARGUMENT",
        name,
      ]);
    expect(refusalOf(() => createMessageAccumulator(undefined as never))).toEqual(["INVALID_ARGUMENT", ""]);
    for (const name of ["messageId", "endedAt", "incomplete", "tokensUsed"])
      expect(refusalOf(() => gather().finalize({ ...end, [name]: -1 } as never))).toEqual(["INVALID_ARGUMENT", name]);
    expect(refusalOf(() => gather().finalize(undefined as never))).toEqual(["INVALID_ARGUMENT", ""]);
  });
});

function describeValue(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
