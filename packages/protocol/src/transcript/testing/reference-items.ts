// The accumulator once more, slow and plain: it sees all events at once, cuts them into runs, turns each run into an
// item, throws the empty ones away and numbers the rest.

import type { ContentItem } from "../content-item.js";
import type { TranscriptEvent } from "../transcript-event.js";

export type Step = readonly [event: TranscriptEvent | { readonly type: string }, now: number];
type KnownStep = readonly [event: TranscriptEvent, now: number];

const KNOWN = ["reasoning", "text", "tool_call", "tool_result", "data_loaded", "component"];

export function referenceItems(steps: readonly Step[]): ContentItem[] {
  const runs: KnownStep[][] = [];
  for (const [event, now] of steps) {
    if (!KNOWN.includes(event.type)) continue;
    const step: KnownStep = [event as TranscriptEvent, now];
    const joins = event.type === "reasoning" || event.type === "text";
    const before = runs.at(-1);
    if (joins && before?.[0]?.[0].type === event.type) before.push(step);
    else runs.push([step]);
  }
  return runs
    .map(itemOfRun)
    .filter((item) => !("content" in item) || item.content !== "")
    .map((item, sequence) => ({ ...item, sequence }) as ContentItem);
}

function itemOfRun(run: readonly KnownStep[]): object {
  const [event, now] = run[0] as KnownStep;
  const caller = "tool_call_id" in event ? { tool_call_id: event.tool_call_id } : {};
  switch (event.type) {
    case "reasoning":
    case "text": {
      const content = run.map(([chunk]) => (chunk as { content: string }).content).join("");
      return { type: event.type === "text" ? "message" : "reasoning", content, timestamp: now };
    }
    case "tool_call":
      return { ...event };
    case "tool_result":
      return { ...event, timestamp: now };
    case "data_loaded": {
      const { id: data_id, data_type, items } = event;
      return { type: "component", data_id, data_type, items, ...caller, timestamp: now };
    }
    case "component": {
      const { tool_name: _, tool_type: __, ...item } = event;
      return { ...item, timestamp: now };
    }
  }
}
