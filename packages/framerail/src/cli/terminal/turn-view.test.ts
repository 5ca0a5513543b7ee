import type { TurnEnd } from "@framerail/client";
import type { Frame } from "@framerail/protocol";
import { formatTimestamp } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createScreen } from "./screen.js";
import { createTurnView } from "./turn-view.js";

function setUp() {
  const written = { out: "", err: "" };
  let seq = 0;
  const write = (name: "out" | "err") => (text: string) => {
    written[name] += text;
  };
  const terminal = { out: write("out"), err: write("err") };
  const view = createTurnView(createScreen(terminal, { isLively: false, isShared: false, columns: () => 80 }));
  const show = (ms: number, event_type: string, payload: object = {}) => {
    seq += 1;
    const envelope = { event_type, version: "0.5", timestamp: formatTimestamp(ms), response_id: "turn-1", seq };
    view.show({ ...envelope, ...payload } as Frame);
  };
  return { view, show, out: () => written.out, err: () => written.err };
}

const call = (id: string, status?: string) => ({ tool_call: { id, name: "search_offers", type: "function", status } });
const usage = { input_tokens: 1234, output_tokens: 88, total_tokens: 1322, reasoning_tokens: 0, cached_tokens: 0 };

test("a turn is shown as text, with what was done on the other output, timed by its own frames", () => {
  const { view, show, out, err } = setUp();
  show(0, "response_id");
  show(10, "thinking");
  show(100, "status", { data: { event_id: "searching", message: "Searching…" } });
  show(110, "thinking");
  show(200, "tool_call", call("a"));
  show(300, "tool_call", call("b"));
  show(640, "tool_completed", call("a"));
  show(700, "tool_completed", call("b", "cancelled"));
  show(800, "error", { error: { code: "SUB_AGENT_FAILED", sub_agent_id: "x" }, is_final: false });
  show(900, "data_loaded", { data: { id: "d", type: "offer_list", key: { ids: [] }, items: [1, 2] } });
  show(1000, "text", { chunk: "Two " });
  show(1100, "text", { chunk: "offers." });
  show(1150, "usage", usage);
  show(1200, "completed");
  view.end({ kind: "completed", paused: false });
  expect(out()).toBe("Two offers.\n");
  expect(err().split("\n")).toEqual([
    "turn turn-1",
    "Thinking…",
    "Searching…",
    "✓ search_offers 0.4 s",
    "✗ search_offers cancelled after 0.4 s",
    "! a part of the turn failed: SUB_AGENT_FAILED",
    "▪ offer_list: 2",
    "completed · 1.2 s · 1,234 tokens in, 88 out",
    "",
  ]);
});

test.each<[TurnEnd, string]>([
  [{ kind: "completed", paused: true }, "paused: it stopped at a limit or for an approval"],
  [{ kind: "failed", error: { code: "RATE_LIMIT_ERROR" } }, "failed: RATE_LIMIT_ERROR"],
  [{ kind: "failed" }, "failed: INTERNAL_ERROR"],
  [{ kind: "cancelled", code: "REQUEST_CANCELLED" }, "cancelled"],
  [{ kind: "cancelled", code: "IDLE_TIMEOUT" }, "cancelled: the agent was silent for too long"],
])("an end that is %o is told in words", (end, says) => {
  const { view, err } = setUp();
  view.end(end);
  expect(err()).toBe(`${says}\n`);
});

test("a tool whose process died is said to have ended nobody knows how [G12]", () => {
  const { show, err } = setUp();
  show(0, "tool_completed", call("a", "unknown"));
  expect(err()).toBe("? search_offers how it ended is not known\n");
});

test("names that a model or a server made up cannot write lines or commands of their own", () => {
  const { show, err } = setUp();
  show(0, "tool_completed", { tool_call: { id: "a", name: "x\x1b[2J\nerror: you are hacked", type: "function" } });
  show(0, "status", { data: { event_id: "s", message: "a\r\nb\x9b1A" } });
  expect(err()).toBe("✓ x error: you are hacked 0.0 s\na b\n");
});
