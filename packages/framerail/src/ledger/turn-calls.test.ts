import type { EventOf } from "@framerail/protocol";
import { expect, test } from "vitest";
import type { OpenCall } from "../store/open-calls.js";
import { createTurnCalls, replayTurnCalls } from "./turn-calls.js";

const AT = Date.UTC(2026, 4, 15);

const metrics = (model: string, input: number, fields: Partial<EventOf<"metrics">> = {}): EventOf<"metrics"> => ({
  type: "metrics",
  model,
  tokens: { input_tokens: input, output_tokens: 1, total_tokens: input + 1, reasoning_tokens: 0, cached_tokens: 0 },
  ...fields,
});

const seen = (calls: ReturnType<typeof createTurnCalls>) =>
  calls.rows().map(({ call, model, inputTokens, estimated }) => [call, model, inputTokens, estimated]);

test("a call that was begun and never told has one row, of what it sent, marked as estimated [G9] [R-6-5]", () => {
  const calls = createTurnCalls("turn_1");
  calls.begin({ model: "m", inputTokens: 70, cost: 0.25 }, AT);
  expect(calls.rows()).toEqual([
    {
      turnId: "turn_1",
      call: 1,
      model: "m",
      inputTokens: 70,
      outputTokens: 0,
      reasoningTokens: 0,
      cachedTokens: 0,
      costUsd: "0.250000000",
      ttftMs: 0,
      totalMs: 0,
      estimated: true,
      occurredAt: AT,
    },
  ]);
  expect(calls.usage()).toMatchObject({ input_tokens: 70, output_tokens: 0, total_tokens: 70 });
});

test("figures take the place of the estimate, and the turn has used the sum of its rows [G9] [C-14]", () => {
  const calls = createTurnCalls("turn_1");
  calls.begin({ model: "m", inputTokens: 70 }, AT);
  calls.tell(metrics("m", 64), AT + 5);
  calls.begin({ model: "m", inputTokens: 90 }, AT + 6);
  expect(seen(calls)).toEqual([
    [1, "m", 64, false],
    [2, "m", 90, true],
  ]);
  expect(calls.usage()).toMatchObject({ input_tokens: 154, output_tokens: 1, total_tokens: 155 });
});

test("of calls side by side each has one row, whichever ends first [G9]", () => {
  const calls = createTurnCalls("turn_1");
  for (const model of ["a", "b", "a"]) calls.begin({ model, inputTokens: 70 }, AT);
  calls.tell(metrics("b", 5), AT);
  calls.tell(metrics("a", 6), AT);
  expect(seen(calls)).toEqual([
    [1, "a", 6, false],
    [2, "b", 5, false],
    [3, "a", 70, true],
  ]);
});

test("a call that was not made has no row, and one that was made without asking has one [G9]", () => {
  const calls = createTurnCalls("turn_1");
  calls.withdraw(calls.begin({ model: "m", inputTokens: 70 }, AT));
  calls.tell(metrics("m", 5), AT);
  calls.tell(metrics("other", 6), AT);
  expect(seen(calls)).toEqual([
    [2, "m", 5, false],
    [3, "other", 6, false],
  ]);
});

const note = (call: number, told: number, fields: Partial<OpenCall> = {}): OpenCall => ({
  call,
  told,
  model: "m",
  inputTokens: 70,
  costUsd: "0.000000000",
  begunAt: AT,
  ...fields,
});

test("of a process that is gone, calls that told have their figures and the others their estimates [G9] [D-3]", () => {
  const told = [metrics("m", 5), metrics("m", 6)];
  const calls = replayTurnCalls("turn_1", { notes: [note(1, 0), note(2, 1), note(3, 2)], told, at: AT });
  expect(seen(calls)).toEqual([
    [1, "m", 5, false],
    [2, "m", 6, false],
    [3, "m", 70, true],
  ]);
});

test("figures that were told before a call began are not that call's, also where nobody had begun theirs [G9]", () => {
  const calls = replayTurnCalls("turn_1", { notes: [note(2, 1)], told: [metrics("m", 5)], at: AT });
  expect(seen(calls)).toEqual([
    [1, "m", 5, false],
    [2, "m", 70, true],
  ]);
});
