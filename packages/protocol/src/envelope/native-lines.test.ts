// A small honest backend, fed with lines as two CLI agents write them: what the envelope asks of every adapter.

import { describe, expect, test } from "vitest";
import type { AgentWrapperEvent, AgentWrapperEventKind } from "./agent-event.js";
import { classifyNativeType } from "./agent-event.js";
import { boundAgentEvent } from "./bounds.js";
import type { RawLine, RawLineSink } from "./raw-lines.js";
import { createToolEvent, isToolsFacet } from "./tools-facet.js";

const KINDS: Readonly<Record<string, AgentWrapperEventKind>> = {
  "thread.started": "Status",
  "turn.completed": "Status",
  "item.started/command_execution": "ToolCall",
  "item.completed/command_execution": "ToolResult",
  "item.completed/agent_message": "TextOutput",
  "item.completed/error": "Error",
};

interface NativeItem {
  id: string;
  type: string;
  text?: string;
  exit_code?: number | null;
  status?: string;
  aggregated_output?: string;
}

/** Turns lines into events. Lines that are no JSON make no event; every line goes to the sink, when there is one. */
function runBackend(lines: readonly string[], sink?: RawLineSink): AgentWrapperEvent[] {
  return lines.flatMap((text) => {
    sink?.({ stream: text.startsWith("{") ? "stdout" : "stderr", text });
    if (!text.startsWith("{")) return [];
    const { type, item } = JSON.parse(text) as { type: string; item?: NativeItem };
    const kind = classifyNativeType(KINDS, item ? `${type}/${item.type}` : type);
    if (item !== undefined && (kind === "ToolCall" || kind === "ToolResult")) return [describeTool(kind, item)];
    if (kind === "TextOutput") return boundAgentEvent({ agent_kind: "codex", kind, text: item?.text ?? "" });
    return boundAgentEvent({ agent_kind: "codex", kind, message: type });
  });
}

function describeTool(kind: "ToolCall" | "ToolResult", item: NativeItem): AgentWrapperEvent {
  const status = item.status === "completed" || item.status === "failed" ? item.status : "running";
  const bytes = { stdout: new TextEncoder().encode(item.aggregated_output).length };
  // The whole native item goes in, as a careless adapter would do it.
  const tool = { ...item, backend_item_id: item.id, kind: item.type, status, bytes } as const;
  return createToolEvent({ agentKind: "codex", kind, channel: "tool", tool });
}

const LINES = [
  '{"type":"thread.started","thread_id":"01a1e10b-bab7"}',
  '{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"echo CANARY-INPUT","aggregated_output":"","exit_code":null,"status":"in_progress"}}',
  '{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"echo CANARY-INPUT","aggregated_output":"CANARY-OUTPUT\\n","exit_code":0,"status":"completed"}}',
  '{"type":"item.completed","item":{"id":"item_2","type":"hologram","payload":"CANARY-UNKNOWN"}}',
  "panic: CANARY-LINE at worker.rs:7",
  '{"type":"system","subtype":"hook","note":"CANARY-UNKNOWN"}',
  '{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"The command printed a word. Done."}}',
  '{"type":"turn.completed","usage":{"input_tokens":200,"output_tokens":40}}',
];

describe("a backend", () => {
  test("maps what it knows, and what it cannot classify becomes Unknown instead of vanishing [E-3, E-29]", () => {
    expect(runBackend(LINES).map((event) => event.kind)).toEqual([
      "Status",
      "ToolCall",
      "ToolResult",
      "Unknown",
      "Unknown",
      "TextOutput",
      "Status",
    ]);
  });

  test("has the facet on every tool event, with sizes in the place of contents [E-16, E-24, E-27]", () => {
    const tools = runBackend(LINES).filter((event) => event.kind === "ToolCall" || event.kind === "ToolResult");
    expect(tools).toHaveLength(2);
    for (const event of tools) expect(isToolsFacet(event.data)).toBe(true);
    expect(tools[1]?.data).toMatchObject({
      tool: {
        backend_item_id: "item_1",
        kind: "command_execution",
        phase: "complete",
        exit_code: 0,
        bytes: { stdout: 14 },
      },
    });
  });

  test("lets no raw line, tool input or tool output into any field of any event [E-14, E-26, E-31, C-15]", () => {
    expect(LINES.join("")).toContain("CANARY");
    expect(JSON.stringify(runBackend(LINES))).not.toContain("CANARY");
  });

  test("gives raw lines to a sink that asks for them, and the same events with or without it [E-32, C-38]", () => {
    const seen: RawLine[] = [];
    const events = runBackend(LINES, (line) => seen.push(line));
    expect(seen.map((line) => line.text)).toEqual(LINES);
    expect(seen[4]).toEqual({ stream: "stderr", text: "panic: CANARY-LINE at worker.rs:7" });
    expect(events).toEqual(runBackend(LINES));
  });
});
