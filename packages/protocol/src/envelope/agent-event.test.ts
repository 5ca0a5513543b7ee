import { describe, expect, expectTypeOf, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import type { Json, ObjectNode } from "../schema/schema.js";
import type { AgentWrapperEvent } from "./agent-event.js";
import {
  AGENT_EVENT_KINDS,
  agentCompletionSchema,
  agentEventSchema,
  classifyNativeType,
  SUGGESTED_CHANNELS,
} from "./agent-event.js";
import { AGENT_EVENT_PROJECTION } from "./project-agent-event.js";

const checkEvent = compileCheck(agentEventSchema);
const checkCompletion = compileCheck(agentCompletionSchema);

describe("the event", () => {
  test("its type and its schema have the six fields, of which two are required [E-1, E-4]", () => {
    expectTypeOf<AgentWrapperEvent>().toEqualTypeOf<{
      readonly agent_kind: string;
      readonly kind: "TextOutput" | "ToolCall" | "ToolResult" | "Status" | "Error" | "Unknown";
      readonly channel?: string;
      readonly text?: string;
      readonly message?: string;
      readonly data?: Json;
    }>();
    expect(Object.keys((agentEventSchema as ObjectNode).fields)).toEqual([
      "agent_kind",
      "kind",
      "channel",
      "text",
      "message",
      "data",
    ]);
    expect(checkEvent({ agent_kind: "codex", kind: "Status" })).toBeUndefined();
    expect(checkEvent({ kind: "Status" })).toMatchObject({ path: "agent_kind", rule: "required" });
    expect(checkEvent({ agent_kind: "codex" })).toMatchObject({ path: "kind", rule: "required" });
  });

  test("any backend may name itself, but not with nothing and not without end [E-2]", () => {
    for (const name of ["codex", "claude_code", "Acme/agent 2.0", "代理", "😀"]) {
      expect(checkEvent({ agent_kind: name, kind: "Status" })).toBeUndefined();
    }
    expect(checkEvent({ agent_kind: "", kind: "Status" })).toMatchObject({ path: "agent_kind", rule: "length_min" });
    expect(checkEvent({ agent_kind: "x".repeat(257), kind: "Status" })).toMatchObject({ rule: "length_max" });
  });

  test("the kinds are the six named ones and no other [E-3]", () => {
    expect(AGENT_EVENT_KINDS).toEqual(["TextOutput", "ToolCall", "ToolResult", "Status", "Error", "Unknown"]);
    for (const kind of AGENT_EVENT_KINDS) expect(checkEvent({ agent_kind: "codex", kind })).toBeUndefined();
    for (const kind of ["textoutput", "Reasoning", "", "__proto__", null, 3]) {
      expect(checkEvent({ agent_kind: "codex", kind })).toMatchObject({ path: "kind" });
    }
  });

  test("five channels are suggested [E-30]", () => {
    expect(SUGGESTED_CHANNELS).toEqual(["tool", "error", "status", "assistant", "user"]);
  });
});

describe("the completion", () => {
  test("a run may end with a code, a text and data, or with none of them [E-28]", () => {
    expect(checkCompletion({ agent_kind: "codex" })).toBeUndefined();
    expect(
      checkCompletion({ agent_kind: "codex", exit_code: -1, final_text: "Done.", data: { n: 1 } }),
    ).toBeUndefined();
    expect(checkCompletion({ agent_kind: "codex", exit_code: 0.5 })).toMatchObject({ path: "exit_code", rule: "type" });
    expect(checkCompletion({ agent_kind: "codex", exit_code: Number.NaN })).toMatchObject({ path: "exit_code" });
  });
});

describe("native types", () => {
  const table = { agent_message: "TextOutput", command_execution: "ToolCall" } as const;

  test("a named native type gets its kind, every other is Unknown [E-3, E-29]", () => {
    expect(classifyNativeType(table, "agent_message")).toBe("TextOutput");
    expect(classifyNativeType(table, "command_execution")).toBe("ToolCall");
    for (const stranger of ["hologram", "", "Agent_Message", undefined, null, 7, {}, ["agent_message"]]) {
      expect(classifyNativeType(table, stranger)).toBe("Unknown");
    }
  });

  test("a native type named like an inherited property is Unknown [E-29]", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(classifyNativeType(table, name)).toBe("Unknown");
    }
  });
});

describe("the projection", () => {
  test("every kind has its frame, and Unknown is suppressed [C-11]", () => {
    expect(AGENT_EVENT_PROJECTION).toEqual({
      TextOutput: "text",
      ToolCall: "tool_call",
      ToolResult: "tool_completed",
      Status: "status",
      Error: "error",
      Unknown: "suppressed",
    });
    expect(Object.keys(AGENT_EVENT_PROJECTION)).toEqual([...AGENT_EVENT_KINDS]);
  });
});
