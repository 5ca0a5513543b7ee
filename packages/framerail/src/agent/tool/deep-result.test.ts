import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { RESULT_DEPTH_MAX } from "./limits.js";
import { runTool } from "./run-tool.js";
import { envelopeOf } from "./testing/enrichment-backend.js";
import { toolBench } from "./testing/tool-bench.js";

async function play(value: unknown) {
  const bench = toolBench();
  const tool = defineTool({ name: "search", description: "d", input: z.object({}), run: () => value });
  return { ...bench, outcome: await runTool(tool, { id: "c1", argumentsText: "{}" }, bench.context) };
}

test("what is nested to the limit and stands in a list or beside a note is a failed tool, not a failed turn [P-13]", async () => {
  let deepest: unknown = 1;
  for (let depth = 0; depth < RESULT_DEPTH_MAX; depth += 1) deepest = [deepest];
  const partial = envelopeOf({ status: "partial", payload: deepest });
  expect((await play(deepest)).outcome).toMatchObject({ isError: false });
  for (const value of [partial, [envelopeOf({ payload: deepest })]]) {
    const { outcome, reports, eventsOf } = await play(value);
    expect(outcome).toEqual({ result: { error: "The tool search failed." }, isError: true });
    expect(reports).toMatchObject([{ error: { code: "TOOL_FAILED" } }]);
    expect(eventsOf("tool_call", "tool_result", "tool_call_end")).toHaveLength(3);
  }
});
