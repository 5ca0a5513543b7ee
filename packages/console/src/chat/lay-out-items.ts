// From a message's items to what stands on the screen, in order: text, reasoning, tools as one card each, components.
//   L1. A tool's call and its result are one card, where the call stands [P-49, P-50].
//   L2. Data that came later takes the place of what had its id before; a placeholder stands where its data will [W-FR-16].
//   L3. How a tool ended is told as far as it is known: the wire says cancelled or unknown, history says failed.

import type { Placeholder } from "@framerail/client";
import type { ContentItem, ContentItemOf, Json } from "@framerail/protocol";
import type { ToolEnd } from "../inspector/frame-feed.js";

export type ToolState = "running" | "failed" | ToolEnd;

export type Part =
  | { readonly kind: "text"; readonly key: string; readonly text: string }
  | { readonly kind: "reasoning"; readonly key: string; readonly text: string; readonly isOpen: boolean }
  | {
      readonly kind: "tool";
      readonly key: string;
      readonly name: string;
      readonly state: ToolState;
      readonly durationMs: number | undefined;
    }
  | { readonly kind: "placeholder"; readonly key: string; readonly type: string; readonly count: number }
  | { readonly kind: "component"; readonly key: string; readonly type: string; readonly values: readonly Json[] };

export interface LayoutOptions {
  readonly items: readonly ContentItem[];
  readonly placeholders: readonly Placeholder[];
  /** By tool call, from the frames. */
  readonly toolEnds: ReadonlyMap<string, ToolEnd>;
  /** Tool calls that failed, as history tells once the turn has ended. */
  readonly failed: ReadonlySet<string>;
  readonly isRunning: boolean;
}

export function layOutItems(options: LayoutOptions): readonly Part[] {
  const { items, placeholders, isRunning } = options;
  const results = new Map(items.flatMap((item) => (item.type === "tool_result" ? [[item.tool_call_id, item]] : [])));
  const newest = new Map(items.flatMap((item) => (item.type === "component" ? [[item.data_id, item]] : [])));
  const shown = new Set<string>();
  const parts: Part[] = [];
  items.forEach((item, index) => {
    for (const placeholder of placeholders) if (placeholder.at === index) parts.push(waitingPart(placeholder));
    const key = String(index);
    switch (item.type) {
      case "message":
        parts.push({ kind: "text", key, text: item.content });
        return;
      case "reasoning":
        parts.push({ kind: "reasoning", key, text: item.content, isOpen: isRunning && index === items.length - 1 });
        return;
      case "tool_call":
        parts.push(toolPart(item, results.get(item.tool_call_id), key, options));
        return;
      case "component": {
        // L2
        if (shown.has(item.data_id)) return;
        shown.add(item.data_id);
        parts.push(componentPart(newest.get(item.data_id) ?? item, key));
        return;
      }
      default:
    }
  });
  for (const placeholder of placeholders) if (placeholder.at >= items.length) parts.push(waitingPart(placeholder));
  return parts;
}

function toolPart(
  call: ContentItemOf<"tool_call">,
  result: ContentItemOf<"tool_result"> | undefined,
  key: string,
  { toolEnds, failed, isRunning }: LayoutOptions,
): Part {
  const { tool_call_id: id, tool_name: name } = call;
  const told = toolEnds.get(id);
  const state = (): ToolState => {
    // L3
    if (told !== undefined && told !== "finished") return told;
    if (failed.has(id)) return "failed";
    if (told !== undefined) return told;
    if (result !== undefined) return result.is_error ? "failed" : "finished";
    return isRunning ? "running" : "unknown";
  };
  return { kind: "tool", key, name, state: state(), durationMs: result?.duration_ms };
}

function componentPart({ data_type: type, items, chunk }: ContentItemOf<"component">, key: string): Part {
  return { kind: "component", key, type, values: items ?? (chunk === undefined ? [] : [chunk]) };
}

function waitingPart({ id, type, key }: Placeholder): Part {
  return { kind: "placeholder", key: `placeholder ${id}`, type, count: key.ids.length };
}

/** The calls that failed, of a message as history keeps it. */
export function failedCalls(items: readonly ContentItem[]): ReadonlySet<string> {
  return new Set(items.flatMap((item) => (item.type === "tool_result" && item.is_error ? [item.tool_call_id] : [])));
}
