import type { Frame } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { itemDurationsMs, runningTools } from "./index.js";
import { collect, STORY, STORY_TEXT, setUp } from "./testing/story.js";
import { endOfFrame, Transcript } from "./transcript.js";

let count = 0;
/** A frame, one second after the one before. */
function frame(event_type: string, fields: object = {}): Frame {
  count += 1;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 1_000).toISOString();
  return { event_type, version: "0.5", timestamp, response_id: "t", seq: count, ...fields } as unknown as Frame;
}

function told(...frames: readonly Frame[]): Transcript {
  const transcript = new Transcript();
  for (const one of frames) transcript.add(one);
  return transcript;
}

const text = (chunk: string) => frame("text", { chunk });
const tool = (id: string) => ({ tool_call: { id, name: `name-${id}`, type: "mcp" } });
const status = (id: string) => frame("status", { data: { event_id: id, message: `${id}…` } });
const loading = (id: string) => frame("data_loading", { data: { id, type: "offer_list", key: { ids: [] } } });
const loaded = (id: string) =>
  frame("data_loaded", { data: { id, type: "offer_list", key: { ids: [] }, items: [id] } });

describe("items", () => {
  test("text and reasoning grow, everything else stands alone, in the order of arrival [P-49, P-50]", () => {
    const { items, text: whole } = told(
      frame("reasoning", { chunk: "let " }),
      frame("reasoning", { chunk: "me see" }),
      frame("tool_call", tool("a")),
      text("one "),
      frame("tool_completed", tool("a")),
      text("two"),
      text(""),
      frame("component", { chunk: { title: "x" }, ...tool("b") }),
      text(""),
    ).view();
    expect(items).toMatchObject([
      { type: "reasoning", content: "let me see" },
      { type: "tool_call", tool_call_id: "a", tool_name: "name-a", arguments: null },
      { type: "message", content: "one " },
      { type: "tool_result", tool_call_id: "a", result: null, is_error: false, duration_ms: 2_000 },
      { type: "message", content: "two" },
      { type: "component", data_id: "b", data_type: "name-b", chunk: { title: "x" } },
    ]);
    expect(items.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(whole).toBe("one two");
  });

  test("a tool runs from its call to its end, one that did not come to it is an error [P-50]", () => {
    const transcript = told(frame("tool_call", tool("a")), frame("tool_call", tool("b")));
    const running = () => runningTools(transcript.view().items).map(({ tool_call_id }) => tool_call_id);
    expect(running()).toEqual(["a", "b"]);
    transcript.add(frame("tool_completed", { tool_call: { ...tool("a").tool_call, status: "cancelled" } }));
    expect(running()).toEqual(["b"]);
    expect(transcript.view().items.at(-1)).toMatchObject({ is_error: true });
  });

  test("times tell how long somebody thought [P-51]", () => {
    const { items } = told(frame("reasoning", { chunk: "a" }), frame("reasoning", { chunk: "b" }), text("c")).view();
    expect(itemDurationsMs(items, items[1]?.timestamp ?? 0)).toEqual([2_000, 0]);
  });

  test("a view is not changed by what comes after it", () => {
    const transcript = told(text("a"), loading("x"));
    const before = transcript.view();
    for (const one of [text("b"), loaded("x"), frame("usage")]) transcript.add(one);
    expect(before).toMatchObject({ text: "a", items: [{ content: "a" }], placeholders: [{ id: "x" }] });
  });

  test("an answer of a hundred thousand frames costs what its frames cost", () => {
    const transcript = new Transcript();
    const piece = text("nine byte");
    const begun = performance.now();
    for (let index = 0; index < 100_000; index += 1) {
      transcript.add(piece);
      if (index % 500 === 0) transcript.view();
    }
    expect(transcript.view().text).toHaveLength(900_000);
    // Linear, this is a fraction of a second; joined anew for every frame, it is minutes.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe("placeholders", () => {
  test("each is replaced by the data of its own id, whatever the order [W-FR-16]", () => {
    const transcript = told(text("a"), loading("x"), loading("y"), text("b"), loading("z"), loaded("y"));
    expect(transcript.view().placeholders).toMatchObject([
      { id: "x", at: 1 },
      { id: "z", at: 1 },
    ]);
    expect(transcript.view().items.at(-1)).toMatchObject({ type: "component", data_id: "y", items: ["y"] });
  });

  test("those whose data never comes are gone with the turn [I-24]", async () => {
    const script = [
      [0, { event_type: "response_id" }],
      [0, loading("x")],
      [5, { event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: true }],
    ] as const;
    const { clock, session } = setUp({ script: script as never });
    const turn = session.send("hello");
    await clock.pass(1);
    expect(turn.state.placeholders).toMatchObject([{ id: "x" }]);
    await clock.until(turn.outcome);
    expect(turn.state.placeholders).toEqual([]);
  });
});

describe("progress", () => {
  test("is the status before that the model thinks, and never a tool [W-MAP-5]", () => {
    const transcript = told(frame("response_id"));
    const after = (one: Frame) => {
      transcript.add(one);
      return transcript.view().progress;
    };
    expect(after(frame("tool_call", tool("a")))).toBeUndefined();
    expect(after(frame("thinking"))).toEqual({ kind: "thinking" });
    expect(after(status("searching"))).toEqual({ kind: "status", id: "searching", message: "searching…" });
    expect(after(frame("thinking"))).toMatchObject({ kind: "status" });
    expect(after(frame("tool_completed", tool("a")))).toMatchObject({ id: "searching" });
    expect(after(status("sorting"))).toMatchObject({ id: "sorting" });
    expect(after(text("Here"))).toBeUndefined();
    after(status("more"));
    transcript.close();
    expect(transcript.view().progress).toBeUndefined();
  });
});

describe("ends", () => {
  test("are three, and a pause is told beside them [W-CAN-4, C-30]", () => {
    expect(endOfFrame(frame("completed"), false)).toEqual({ kind: "completed", paused: false });
    expect(endOfFrame(frame("completed", { has_more: true }), false)).toEqual({ kind: "completed", paused: true });
    const cancelled = frame("cancelled", { error: { code: "IDLE_TIMEOUT" } });
    expect(endOfFrame(cancelled, false)).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
    expect(endOfFrame(frame("error", { error: { code: "INTERNAL_ERROR" }, is_final: true }), false)).toEqual({
      kind: "failed",
    });
    expect(endOfFrame(frame("error", { error: { code: "INTERNAL_ERROR" }, is_final: false }), true)).toBeUndefined();
  });

  const FAILING = [
    [0, { event_type: "response_id" }],
    [1, { event_type: "error", error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "e", reason: "x" }, is_final: false }],
    [1, { event_type: "text", chunk: "I could not reach it." }],
    [1, { event_type: "error", error: { code: "RATE_LIMIT_ERROR" }, is_final: true }],
  ] as const;

  test("what an error says is not shown unless it is asked for, and the turn goes on after one that is not final [W-ERR-10, W-AC-12]", async () => {
    for (const showErrors of [false, true]) {
      const { clock, session } = setUp({ script: FAILING, client: { showErrors } });
      const turn = session.send("hello");
      expect(await clock.until(turn.text)).toBe("I could not reach it.");
      const codes = turn.state.errors.map(({ code }) => code);
      expect(codes).toEqual(showErrors ? ["CCS_ENVELOPE_ERROR", "RATE_LIMIT_ERROR"] : []);
      expect(JSON.stringify([turn.state, await turn.outcome]).includes("ERROR")).toBe(showErrors);
      expect((await collect(turn)).map(({ event_type }) => event_type)).toEqual(
        FAILING.map(([, { event_type }]) => event_type),
      );
    }
  });
});

test("a whole turn is shown as it was told [W-FR-16, P-50]", async () => {
  const { clock, session } = setUp();
  const turn = session.send("hello");
  await clock.until(turn.outcome);
  expect(turn.state).toMatchObject({ text: STORY_TEXT, placeholders: [], errors: [], failure: undefined });
  expect(turn.state.items.map(({ type }) => type)).toEqual([
    "reasoning",
    "tool_call",
    "tool_result",
    "component",
    "message",
  ]);
  expect(STORY).toHaveLength(11);
});
