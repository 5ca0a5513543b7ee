import { readFileSync } from "node:fs";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { FRAMES } from "../frame/vocabulary.js";
import { compileCheck } from "../schema/check.js";
import type { Draft } from "./to-frame.js";
import { FRAME_OF_EVENT, RENDER, SUPPRESS, toFrame } from "./to-frame.js";
import type { AgentEvent, EventOf, EventType } from "./vocabulary.js";
import { EVENT_TYPES, EVENTS } from "./vocabulary.js";

const tool = { tool_call_id: "call_1", tool_name: "search_offers", tool_type: "mcp" };
const wireTool = { id: "call_1", name: "search_offers", type: "mcp" };
const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12, reasoning_tokens: 3, cached_tokens: 1 };
const key = { ids: [{ id: "OFF_1" }] };

/** Every event once, with what it becomes; a type without a row does not compile. */
const TABLE: { readonly [T in EventType]: readonly [EventOf<T>, Draft | undefined] } = {
  init_stream: [
    { type: "init_stream", run_id: "r", conversation_id: "c", timestamp: 1 },
    { type: "response_id", payload: {} },
  ],
  episode: [
    { type: "episode", episode_id: "e" },
    { type: "episode", payload: { episode_id: "e" } },
  ],
  thinking: [
    { type: "thinking", content: "hm", role: "reasoning" },
    { type: "thinking", payload: { content: "hm", role: "reasoning" } },
  ],
  reasoning: [
    { type: "reasoning", content: "x" },
    { type: "reasoning", payload: { chunk: "x" } },
  ],
  text: [
    { type: "text", content: "x" },
    { type: "text", payload: { chunk: "x" } },
  ],
  tool_call: [
    { type: "tool_call", ...tool, arguments: { q: "CANARY" }, timestamp: 1 },
    { type: "tool_call", payload: { tool_call: wireTool } },
  ],
  tool_result: [
    { type: "tool_result", tool_call_id: "call_1", result: "CANARY", is_error: false, duration_ms: 1 },
    undefined,
  ],
  tool_call_end: [
    { type: "tool_call_end", ...tool, status: "unknown" },
    { type: "tool_completed", payload: { tool_call: { ...wireTool, status: "unknown" } } },
  ],
  status: [{ type: "status", event_id: "searching_offers", values: { n: 2 } }, undefined],
  data_loading: [
    { type: "data_loading", id: "1", data_type: "offer_list", key },
    { type: "data_loading", payload: { data: { id: "1", type: "offer_list", key } } },
  ],
  data_loaded: [
    { type: "data_loaded", id: "1", data_type: "offer_list", key, items: [1], tool_call_id: "CANARY" },
    { type: "data_loaded", payload: { data: { id: "1", type: "offer_list", key, items: [1] } } },
  ],
  component: [
    { type: "component", data_id: "d", data_type: "card", chunk: { a: 1 }, ...tool },
    { type: "component", payload: { chunk: { a: 1 }, tool_call: wireTool } },
  ],
  part_failed: [
    { type: "part_failed", error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "o", reason: "unauthorized" } },
    {
      type: "error",
      payload: { error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "o", reason: "unauthorized" }, is_final: false },
    },
  ],
  metrics: [{ type: "metrics", model: "CANARY", ttft_ms: 3, tokens: usage, cost: 0.1, estimated: true }, undefined],
  usage: [
    { type: "usage", ...usage },
    { type: "usage", payload: usage },
  ],
  node_enter: [{ type: "node_enter", node_id: "CANARY", node_type: "model", timestamp: 1 }, undefined],
  node_exit: [{ type: "node_exit", node_id: "CANARY", duration_ms: 1 }, undefined],
  support_content: [{ type: "support_content", content: "CANARY" }, undefined],
  log: [{ type: "log", level: "info", message: "CANARY" }, undefined],
  mcp_list_tools_start: [{ type: "mcp_list_tools_start" }, { type: "mcp_list_tools_start", payload: {} }],
  mcp_list_tools_completed: [{ type: "mcp_list_tools_completed" }, { type: "mcp_list_tools_completed", payload: {} }],
  mcp_session_start: [{ type: "mcp_session_start" }, { type: "mcp_session_start", payload: {} }],
  mcp_session_progress: [{ type: "mcp_session_progress" }, { type: "mcp_session_progress", payload: {} }],
  error: [
    { type: "error", message: "CANARY", node_id: "CANARY", error_code: "SUB_AGENT_FAILED", sub_agent_id: "shop" },
    { type: "error", payload: { error: { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" }, is_final: true } },
  ],
  end_stream: [
    { type: "end_stream", status: "success", total_duration_ms: 1 },
    { type: "completed", payload: {} },
  ],
};

describe("an event becomes its frame:", () => {
  for (const type of EVENT_TYPES) {
    const [event, draft] = TABLE[type];
    test(`${type} → ${draft?.type ?? "nothing"} [W-MAP-1]`, () => {
      expect(compileCheck(EVENTS[type], { unknown: "refuse" })(event)).toBeUndefined();
      expect(toFrame(event)).toEqual(draft);
      expect(JSON.stringify(toFrame(event) ?? null)).not.toContain("CANARY");
      if (draft) expect(compileCheck(FRAMES[draft.type].payload, { unknown: "refuse" })(draft.payload)).toBeUndefined();
    });
  }
});

test("tool events map by their new names, and thinking is no longer an MCP session [W-MAP-3] [W-IN-2]", () => {
  expect(toFrame(TABLE.tool_call[0])?.type).toBe("tool_call");
  expect(toFrame(TABLE.tool_call_end[0])?.type).toBe("tool_completed");
  expect(toFrame({ type: "thinking" })).toEqual({ type: "thinking", payload: {} });
});

test("status and tool events both ride on the wire [W-MAP-5]", () => {
  expect(FRAME_OF_EVENT.status).toBe(RENDER);
  expect(typeof FRAME_OF_EVENT.tool_call).toBe("function");
  expect(typeof FRAME_OF_EVENT.tool_call_end).toBe("function");
});

test("each internal type is listed as suppressed, one by one [W-R-6] [W-EV-17]", () => {
  const suppressed = EVENT_TYPES.filter((type) => FRAME_OF_EVENT[type] === SUPPRESS);
  expect(suppressed).toEqual(["tool_result", "metrics", "node_enter", "node_exit", "support_content", "log"]);
});

test("a type that is unknown at run time maps to nothing [W-R-6]", () => {
  for (const type of ["secret_plan", "constructor", "__proto__", "toString"]) {
    expect(toFrame({ type } as unknown as AgentEvent)).toBeUndefined();
  }
});

test("every wire type has an event behind it, but for the terminals and status, which are made [W-MAP-4]", () => {
  const reached = new Set(EVENT_TYPES.map((type) => toFrame(TABLE[type][0])?.type));
  expect(Object.keys(FRAMES).filter((type) => !reached.has(type as never))).toEqual(["status", "cancelled"]);
});

test("an event without a mapping or an explicit suppress does not compile [W-R-6] [W-MAP-4]", () => {
  const folder = new URL(".", import.meta.url).pathname;
  const original = readFileSync(`${folder}to-frame.ts`, "utf8");
  const [whole, forgotten, stranger] = compileErrors(folder, [
    original,
    original.replace("  support_content: SUPPRESS,\n", ""),
    original.replace("  log: SUPPRESS,\n", "  log: SUPPRESS,\n  gossip: SUPPRESS,\n"),
  ]);
  expect(whole).toBe("");
  expect(forgotten).toContain("support_content");
  expect(stranger).toContain("gossip");
});

/** Type errors of each text, compiled as if it stood in the folder. One program for all: the libraries are the cost. */
function compileErrors(folder: string, texts: string[]): string[] {
  const files = new Map(texts.map((text, index) => [`${folder}variant-${index}.ts`, text]));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, target, ...rest) : ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map((file) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .map((found) => ts.flattenDiagnosticMessageText(found.messageText, "\n"))
      .join("\n"),
  );
}

describe("the inner error", () => {
  const failure = (error_code?: string, sub_agent_id?: string) =>
    toFrame({
      type: "error",
      message: "CANARY",
      ...(error_code && { error_code }),
      ...(sub_agent_id && { sub_agent_id }),
    });
  const final = (error: unknown) => ({ type: "error", payload: { error, is_final: true } });

  test("always ends the turn, with a code of the catalogue and never its message [P-12] [C-2] [W-ERR-1] [W-ERR-2]", () => {
    expect(failure()).toEqual(final({ code: "INTERNAL_ERROR" }));
    expect(failure("RATE_LIMIT_ERROR")).toEqual(final({ code: "RATE_LIMIT_ERROR" }));
    expect(failure("SUB_AGENT_FAILED", "shop")).toEqual(final({ code: "SUB_AGENT_FAILED", sub_agent_id: "shop" }));
  });
  test("with any other code, or a code without its field, is INTERNAL_ERROR [C-16]", () => {
    for (const code of ["SUB_AGENT_FAILED", "PARTIAL_FAN_OUT", "ECONNREFUSED db-1", "IDLE_TIMEOUT"]) {
      expect(failure(code)).toEqual(final({ code: "INTERNAL_ERROR" }));
    }
  });
  test("of a sub-agent whose name the wire does not take is INTERNAL_ERROR, and so still ends the turn [W-ERR-3]", () => {
    for (const name of ["the shop", "böse", "-shop", "at run (/srv/shop.ts:5)"]) {
      expect(compileCheck(EVENTS.error)({ type: "error", message: "", sub_agent_id: name })).toBeUndefined();
      expect(failure("SUB_AGENT_FAILED", name)).toEqual(final({ code: "INTERNAL_ERROR" }));
    }
  });
});

test("end_stream becomes the terminal of its status [P-15] [C-1] [C-30]", () => {
  const end = (status: "success" | "error" | "cancelled", more: object = {}) =>
    toFrame({ type: "end_stream", status, total_duration_ms: 1, ...more });
  expect(end("success")).toEqual({ type: "completed", payload: {} });
  expect(end("success", { has_more: true })).toEqual({ type: "completed", payload: { has_more: true } });
  expect(end("error")).toEqual({ type: "error", payload: { error: { code: "INTERNAL_ERROR" }, is_final: true } });
  expect(end("cancelled")).toEqual({ type: "cancelled", payload: { error: { code: "REQUEST_CANCELLED" } } });
});

test("content is carried losslessly for any text [W-GAP-7]", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("text" as const, "reasoning" as const),
      fc.string({ unit: "grapheme" }),
      (type, content) => {
        expect(toFrame({ type, content })).toEqual({ type, payload: { chunk: content } });
      },
    ),
  );
});
