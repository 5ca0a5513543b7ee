import { FramerailError, systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { keepAsked, says } from "../testing/scripted.js";
import { createModelNode } from "./model-node.js";
import { HELLO } from "./testing/play.js";
import { createTurnSink } from "./testing/turn-sink.js";

/** A budget that grants when it is told to, and what was settled. */
function slowBudget() {
  const settled: (number | undefined)[] = [];
  let grant = () => {};
  const granted = new Promise<void>((resolve) => {
    grant = resolve;
  });
  const reserve = async () => {
    await granted;
    return async (usedTokens: number | undefined) => void settled.push(usedTokens);
  };
  return { budget: { reserve }, grant, settled };
}

function startStep() {
  const { model, asked } = keepAsked(says({ text: "hello", usage: { input_tokens: 3, output_tokens: 2 } }));
  const turn = createTurnSink();
  const cancel = new AbortController();
  const slow = slowBudget();
  const run = createModelNode({ models: [model], clock: systemClock }).run({
    messages: HELLO,
    tools: [],
    writer: turn.writer,
    signal: cancel.signal,
    budget: slow.budget,
  });
  return { ...slow, run, asked, turn, cancel };
}

test("a step that is cancelled while it waits for its budget asks no model, accounts for no call and gives the budget back [G9] [G11] [D-16]", async () => {
  const { run, asked, turn, cancel, grant, settled } = startStep();
  cancel.abort(new FramerailError("CANCELLED", "the turn was cancelled"));
  grant();
  await expect(run).rejects.toMatchObject({ code: "CANCELLED" });
  expect(asked).toEqual([]);
  expect(turn.events).toEqual([]);
  expect(settled).toEqual([undefined]);
});

test("a step that gets its budget asks once, and settles what was used [D-16]", async () => {
  const { run, asked, turn, grant, settled } = startStep();
  grant();
  await run;
  expect(asked).toHaveLength(1);
  expect(turn.metrics()).toHaveLength(1);
  expect(settled).toEqual([5]);
});
