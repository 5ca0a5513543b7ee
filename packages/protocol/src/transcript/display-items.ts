// What a screen derives from content items while a turn runs and afterwards. Nothing of it is stored [P-66].

import type { ContentItem, ContentItemOf } from "./content-item.js";

/** The tool calls that wait for their result, in order: show an indicator for each [P-50]. */
export function runningTools(items: readonly ContentItem[]): readonly ContentItemOf<"tool_call">[] {
  const ended = new Set<string>();
  for (const item of items) if (item.type === "tool_result") ended.add(item.tool_call_id);
  return items.filter((item) => item.type === "tool_call").filter((call) => !ended.has(call.tool_call_id));
}

/**
 * How long each item lasted, in milliseconds: until the next one began, the last until `endedAt`; for lines such as
 * "thought for 4 seconds" [P-51]. Times come from more than one clock, so a step back counts as no time.
 */
export function itemDurationsMs(items: readonly ContentItem[], endedAt: number): readonly number[] {
  return items.map((item, index) => Math.max(0, (items[index + 1]?.timestamp ?? endedAt) - item.timestamp));
}
