import type { EventOf } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { usageRowOf } from "./usage-row.js";

const CALL = { turnId: "t", call: 1, occurredAt: 5_000 };
const tokens = { input_tokens: 12, output_tokens: 8, total_tokens: 20, reasoning_tokens: 3, cached_tokens: 2 };
const metrics = (over: object = {}): EventOf<"metrics"> => ({ type: "metrics", model: "m-1", tokens, ...over });

describe("the ledger's row of a model call", () => {
  test("model, counters, cost and times are those of the call's event, the date is the orchestrator's [R-6-3, R-6-4]", () => {
    // Whatever a worker's clock says, it has no field in the event from which it could reach the row.
    const event = metrics({ cost: 0.000123, ttft_ms: 40, total_ms: 90 });
    expect(usageRowOf(event, CALL)).toEqual({
      turnId: "t",
      call: 1,
      model: "m-1",
      inputTokens: 12,
      outputTokens: 8,
      reasoningTokens: 3,
      cachedTokens: 2,
      costUsd: "0.000123000",
      ttftMs: 40,
      totalMs: 90,
      estimated: false,
      occurredAt: 5_000,
    });
  });

  test("a call that failed or was cancelled is charged for its input, and marked as estimated [R-6-5, C-44]", () => {
    const cut = { input_tokens: 12, output_tokens: 0, total_tokens: 12, reasoning_tokens: 0, cached_tokens: 0 };
    expect(usageRowOf(metrics({ tokens: cut, estimated: true }), CALL)).toMatchObject({
      inputTokens: 12,
      outputTokens: 0,
      costUsd: "0.000000000",
      ttftMs: 0,
      totalMs: 0,
      estimated: true,
    });
  });

  test("cost is written in decimal to nine places, never with an exponent", () => {
    const costOf = (cost: number) => usageRowOf(metrics({ cost }), CALL).costUsd;
    expect([1e-7, 1e-10, 0.1 + 0.2, 12, 1e8].map(costOf)).toEqual([
      "0.000000100",
      "0.000000000",
      "0.300000000",
      "12.000000000",
      "100000000.000000000",
    ]);
  });

  test("a number that the table cannot hold still leaves a row, with the largest it can and marked as estimated [G9]", () => {
    expect(usageRowOf(metrics({ cost: 1e30, ttft_ms: 2 ** 40, total_ms: 2 ** 40 }), CALL)).toMatchObject({
      costUsd: "999999999.000000000",
      ttftMs: 2_147_483_647,
      totalMs: 2_147_483_647,
      estimated: true,
    });
  });
});
