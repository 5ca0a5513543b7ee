import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import { EMOJI, HIGH, holds, refusalOf } from "./testing/generators.js";
import type { ToolMetadata } from "./tools-facet.js";
import {
  createToolEvent,
  isToolsFacet,
  SUGGESTED_TOOL_KINDS,
  TOOL_EVENT_KINDS,
  TOOL_PHASES,
  TOOL_STATUSES,
  TOOLS_FACET_ID,
  toolsFacetSchema,
} from "./tools-facet.js";

const checkFacet = compileCheck(toolsFacetSchema);

const FULL = {
  backend_item_id: "item_1",
  thread_id: "01a1e10b",
  turn_id: "turn_1",
  kind: "command_execution",
  phase: "complete",
  status: "completed",
  exit_code: 0,
  bytes: { stdout: 26, stderr: 1, diff: 2, result: 3 },
  tool_name: "Bash",
  tool_use_id: "toolu_1",
} as const;

const DEFAULTS = {
  backend_item_id: null,
  thread_id: null,
  turn_id: null,
  kind: "tool_use",
  phase: "start",
  status: "unknown",
  exit_code: null,
  bytes: { stdout: 0, stderr: 0, diff: 0, result: 0 },
  tool_name: null,
  tool_use_id: null,
};

function create(tool: object, kind: "ToolCall" | "ToolResult" = "ToolCall") {
  return createToolEvent({ agentKind: "codex", kind, tool });
}

function broken(change: object) {
  return checkFacet({ schema: TOOLS_FACET_ID, tool: { ...FULL, ...change } });
}

describe("the facet", () => {
  test("its name is the name of the capability [E-16]", () => {
    expect(TOOLS_FACET_ID).toBe("agent_api.tools.structured.v1");
    expect(checkFacet({ schema: "agent_api.tools.structured.v2", tool: FULL })).toMatchObject({ path: "schema" });
  });

  test("ids, names and the exit code may be null and must be there [E-19, E-23, E-25]", () => {
    for (const field of ["backend_item_id", "thread_id", "turn_id", "exit_code", "tool_name", "tool_use_id"]) {
      expect(broken({ [field]: null })).toBeUndefined();
      expect(broken({ [field]: undefined })).toMatchObject({ path: `tool.${field}`, rule: "required" });
      expect(broken({ [field]: {} })).toMatchObject({ path: `tool.${field}`, rule: "type" });
    }
    expect(broken({ thread_id: 7 })).toMatchObject({ path: "tool.thread_id", rule: "type" });
    expect(broken({ exit_code: -9 })).toBeUndefined();
    for (const code of [1.5, Number.NaN, "1"])
      expect(broken({ exit_code: code })).toMatchObject({ path: "tool.exit_code" });
  });

  test("any word is a tool kind, and six are suggested [E-20, E-27]", () => {
    expect(SUGGESTED_TOOL_KINDS).toEqual([
      "command_execution",
      "file_change",
      "mcp_tool_call",
      "web_search",
      "tool_use",
      "tool_result",
    ]);
    for (const kind of [...SUGGESTED_TOOL_KINDS, "hologram", "用具"]) expect(broken({ kind })).toBeUndefined();
    expect(broken({ kind: null })).toMatchObject({ path: "tool.kind", rule: "type" });
  });

  test("the phases are four and closed [E-21]", () => {
    expect(TOOL_PHASES).toEqual(["start", "delta", "complete", "fail"]);
    for (const phase of TOOL_PHASES) expect(broken({ phase })).toBeUndefined();
    for (const phase of ["failed", "", null]) expect(broken({ phase })).toMatchObject({ path: "tool.phase" });
  });

  test("the statuses are five and closed [E-22]", () => {
    expect(TOOL_STATUSES).toEqual(["pending", "running", "completed", "failed", "unknown"]);
    for (const status of TOOL_STATUSES) expect(broken({ status })).toBeUndefined();
    for (const status of ["in_progress", "", null]) expect(broken({ status })).toMatchObject({ path: "tool.status" });
  });

  test("the four byte counts are whole, never negative, null or missing [E-24]", () => {
    for (const field of ["stdout", "stderr", "diff", "result"]) {
      for (const value of [null, undefined, -1, 0.5, Number.NaN, "3"]) {
        expect(broken({ bytes: { ...FULL.bytes, [field]: value } })).toMatchObject({ path: `tool.bytes.${field}` });
      }
    }
  });

  test("data with a foreign key anywhere is not the facet, since a payload may hide there [E-26]", () => {
    const facet = { schema: TOOLS_FACET_ID, tool: FULL };
    expect(isToolsFacet(facet)).toBe(true);
    expect(isToolsFacet({ ...facet, raw: "x" })).toBe(false);
    expect(isToolsFacet({ ...facet, tool: { ...FULL, input: {} } })).toBe(false);
    expect(isToolsFacet({ ...facet, tool: { ...FULL, bytes: { ...FULL.bytes, text: "x" } } })).toBe(false);
    for (const other of [undefined, null, [], { dropped: { reason: "oversize" } }])
      expect(isToolsFacet(other)).toBe(false);
  });
});

describe("creating a tool event", () => {
  test("a tool of which nothing is known still has the whole facet, by defaults [E-16, E-17, E-24]", () => {
    expect(create({})).toStrictEqual({
      agent_kind: "codex",
      kind: "ToolCall",
      data: { schema: TOOLS_FACET_ID, tool: DEFAULTS },
    });
    expect(create({}, "ToolResult").data).toStrictEqual({
      schema: TOOLS_FACET_ID,
      tool: { ...DEFAULTS, kind: "tool_result", phase: "complete" },
    });
  });

  test("what the backend knows replaces the defaults, one by one [E-19, E-23, E-24, E-25]", () => {
    expect(create(FULL)).toMatchObject({ data: { tool: FULL } });
    for (const [field, value] of Object.entries(FULL)) {
      expect(create({ [field]: value }).data).toEqual({
        schema: TOOLS_FACET_ID,
        tool: { ...DEFAULTS, [field]: value },
      });
    }
    for (const field of ["stdout", "stderr", "diff", "result"]) {
      expect(create({ bytes: { [field]: 5 } })).toMatchObject({
        data: { tool: { bytes: { ...DEFAULTS.bytes, [field]: 5 } } },
      });
    }
    expect(create({ exit_code: undefined, bytes: undefined })).toMatchObject({ data: { tool: DEFAULTS } });
  });

  test("a failed tool whose phase nobody told has the phase fail [E-21, E-22]", () => {
    expect(create({ status: "failed" }, "ToolResult")).toMatchObject({ data: { tool: { phase: "fail" } } });
    expect(create({ status: "failed", phase: "delta" })).toMatchObject({ data: { tool: { phase: "delta" } } });
  });

  test("any metadata gives the facet, or the dropped object when it is too large [E-16, E-18, E-20]", () => {
    const id = fc.option(fc.oneof(fc.string({ unit: "binary" }), fc.constant(EMOJI.repeat(9_000))), { nil: undefined });
    const size = fc.option(fc.maxSafeNat(), { nil: undefined });
    const metadata: fc.Arbitrary<ToolMetadata> = fc.record({
      backend_item_id: id,
      kind: fc.option(fc.string(), { nil: undefined }),
      phase: fc.option(fc.constantFrom(...TOOL_PHASES), { nil: undefined }),
      status: fc.option(fc.constantFrom(...TOOL_STATUSES), { nil: undefined }),
      exit_code: fc.option(fc.integer()),
      bytes: fc.option(fc.record({ stdout: size, stderr: size, diff: size, result: size }), { nil: undefined }),
      tool_name: id,
    });
    const property = fc.property(metadata, fc.constantFrom(...TOOL_EVENT_KINDS), (tool, kind) => {
      const { data } = createToolEvent({ agentKind: "codex", kind, tool });
      if (!isToolsFacet(data)) expect(data).toStrictEqual({ dropped: { reason: "oversize" } });
      else expect(new TextEncoder().encode(JSON.stringify(data)).length).toBeLessThanOrEqual(65_536);
      const large = [tool.backend_item_id, tool.tool_name].every((text) => (text?.length ?? 0) > 10_000);
      expect(isToolsFacet(data)).toBe(!large);
    });
    holds(property, 2_000);
  });

  test("a facet of 65536 bytes is kept, and one byte more in a name drops it [E-18]", () => {
    const room = 65_536 - JSON.stringify({ schema: TOOLS_FACET_ID, tool: { ...DEFAULTS, tool_name: "" } }).length;
    expect(create({ tool_name: "n".repeat(room) })).toMatchObject({ data: { tool: { tool_name: "n".repeat(room) } } });
    const over = createToolEvent({
      agentKind: "codex",
      kind: "ToolCall",
      channel: "tool",
      tool: { tool_name: "n".repeat(room + 1) },
    });
    expect(over).toStrictEqual({
      agent_kind: "codex",
      kind: "ToolCall",
      channel: "tool",
      data: { dropped: { reason: "oversize" } },
    });
  });

  test("no parameter takes inputs, outputs, diffs or lines, and none gets past the types [E-26, C-15]", () => {
    const payload = {
      command: "CANARY",
      input: { a: "CANARY" },
      aggregated_output: "CANARY",
      diff: "CANARY",
      line: "CANARY",
    };
    const options = {
      agentKind: "codex",
      kind: "ToolResult",
      tool: { ...FULL, ...payload, bytes: { ...FULL.bytes, text: "CANARY" } },
      text: "CANARY",
      message: "CANARY",
      data: payload,
    } as const;
    expect(createToolEvent(options)).toStrictEqual({
      agent_kind: "codex",
      kind: "ToolResult",
      data: { schema: TOOLS_FACET_ID, tool: FULL },
    });
    // @ts-expect-error -- an input is not metadata
    createToolEvent({ agentKind: "codex", kind: "ToolCall", tool: { input: "x" } });
    // @ts-expect-error -- the facet is the only data
    createToolEvent({ agentKind: "codex", kind: "ToolCall", tool: {}, data: {} });
    // @ts-expect-error -- a tool event has no text
    createToolEvent({ agentKind: "codex", kind: "ToolResult", tool: {}, text: "x" });
  });

  test("the other bounds hold here too [E-6, E-33]", () => {
    const options = { agentKind: "codex", kind: "ToolCall", tool: { tool_name: `n${HIGH}` } } as const;
    expect(createToolEvent({ ...options, channel: "c".repeat(129) })).not.toHaveProperty("channel");
    expect(createToolEvent({ ...options, channel: "tool" })).toMatchObject({
      channel: "tool",
      data: { tool: { tool_name: "n\ufffd" } },
    });
  });

  const cases: [string, object, string][] = [
    ["a text event", { kind: "TextOutput" }, "kind"],
    ["no backend", { agentKind: "" }, "agent_kind"],
    ["a channel that is no text", { channel: 5 }, "channel"],
    ["a tool that is no object", { tool: "Bash" }, "tool"],
    ["no tool", { tool: undefined }, "tool"],
    ["sizes that are no object", { tool: { bytes: 5 } }, "tool.bytes"],
    ["an unknown phase", { tool: { phase: "paused" } }, "data.tool.phase"],
    ["an unknown status", { tool: { status: "in_progress" } }, "data.tool.status"],
    ["a broken exit code", { tool: { exit_code: 1.5 } }, "data.tool.exit_code"],
    ["a negative size", { tool: { bytes: { diff: -1 } } }, "data.tool.bytes.diff"],
    ["a payload in the place of a name", { tool: { tool_name: { input: "x" } } }, "data.tool.tool_name"],
  ];
  test.each(cases)("%s is refused by name [E-17, E-19, E-21, E-22, E-23, E-24]", (_name, change, path) => {
    const options = { agentKind: "codex", kind: "ToolCall", tool: {}, ...change } as never;
    expect(refusalOf(() => createToolEvent(options))).toMatchObject({ code: "INVALID_ENVELOPE", issue: { path } });
  });

  test("no options at all are refused, and so are options that throw [E-17]", () => {
    for (const options of [undefined, null, "ToolCall", []] as never[]) {
      expect(refusalOf(() => createToolEvent(options))).toMatchObject({ code: "INVALID_ENVELOPE" });
    }
    const cause = new Error("boom");
    const tool = {
      get kind(): string {
        throw cause;
      },
    };
    expect(refusalOf(() => create(tool))).toMatchObject({ code: "INVALID_ENVELOPE", cause });
  });
});
