// Render tools of an imaginary shop, and one call of them in a turn of its own.

import { z } from "zod";
import type { ToolContext } from "../define-tool.js";
import type { CollectionDefinition } from "../render-tool.js";
import { defineRenderTool } from "../render-tool.js";
import { runTool } from "../run-tool.js";
import { toolBench } from "./tool-bench.js";

export const FRAME_BYTES_MAX = 262_144;
export const input = z.object({ ids: z.array(z.string()).default([]) });
export const CALL = { id: "call_1", argumentsText: '{"ids":["OFF_1","OFF_2"]}' };
export const KEY = { ids: [{ id: "OFF_1" }, { id: "OFF_2" }] };
export const ITEMS = [{ id: "OFF_1" }, { id: "OFF_2" }];

export type Changes = Partial<Omit<CollectionDefinition<typeof input>, "shape">>;
export const collection = (load: (context: ToolContext) => unknown, changes: Changes = {}) =>
  defineRenderTool({
    name: "render_offers",
    description: "Shows offers",
    input,
    dataType: "offer_list",
    shape: "collection",
    key: ({ ids }) => ids.map((id) => ({ id })),
    load: (_input, context) => load(context),
    ...changes,
  });
export const component = (value: unknown, changes: Changes = {}) => {
  const { key: _key, ...rest } = changes;
  return defineRenderTool({
    name: "render_map",
    description: "Shows a map",
    input,
    dataType: "map",
    shape: "component",
    load: () => value,
    ...rest,
  });
};
export const play = async (tool: Parameters<typeof runTool>[0], options: Parameters<typeof toolBench>[0] = {}) => {
  const bench = toolBench(options);
  const outcome = await runTool(tool, CALL, bench.context);
  return { ...bench, outcome };
};
export const shownIn = (bench: { eventsOf: ReturnType<typeof toolBench>["eventsOf"] }) =>
  bench.eventsOf("data_loaded")[0]?.items;
