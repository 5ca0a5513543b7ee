import { expect, test } from "vitest";
import type { State, Verdict } from "./phase.js";
import { CLASS_COUNT, FIRST, IN_PRELUDE, IN_STREAMING, phaseOf, TERMINAL, TRANSITIONS } from "./phase.js";

const step = (state: State, message: number): [Verdict, State] => {
  const found = TRANSITIONS[state][message];
  if (found === undefined) throw new Error("the table has a hole");
  return [found.verdict, found.next];
};

test("every state has a step for every class of message [L-5]", () => {
  for (const state of ["unopened", "prelude", "streaming", "terminal"] as const) {
    expect(TRANSITIONS[state]).toHaveLength(CLASS_COUNT);
    for (let message = 0; message < CLASS_COUNT; message += 1) expect(step(state, message)[0]).toBeTypeOf("string");
  }
});

test("phases only go forward: prelude, streaming, terminal [L-5] [L-6] [L-7] [L-8]", () => {
  const order = { prelude: 0, streaming: 1, terminal: 2 };
  for (const state of ["unopened", "prelude", "streaming", "terminal"] as const) {
    for (let message = 0; message < CLASS_COUNT; message += 1) {
      expect(order[phaseOf(step(state, message)[1])]).toBeGreaterThanOrEqual(order[phaseOf(state)]);
    }
  }
});

test("the first message must be one that may stand first [L-27]", () => {
  expect(step("unopened", FIRST | IN_PRELUDE)).toEqual(["pass", "prelude"]);
  expect(step("unopened", IN_STREAMING)).toEqual(["violation", "terminal"]);
  expect(step("unopened", IN_PRELUDE | IN_STREAMING)).toEqual(["violation", "terminal"]);
});

test("a message that the phase allows keeps the phase; a streaming-only one moves on [L-57] [I-7]", () => {
  expect(step("prelude", IN_PRELUDE | IN_STREAMING)).toEqual(["pass", "prelude"]);
  expect(step("prelude", IN_STREAMING)).toEqual(["pass", "streaming"]);
  expect(step("streaming", IN_PRELUDE | IN_STREAMING)).toEqual(["pass", "streaming"]);
});

test("what only the prelude allows is refused later, and what nothing allows always [L-28] [L-30]", () => {
  expect(step("streaming", IN_PRELUDE)).toEqual(["violation", "terminal"]);
  expect(step("prelude", FIRST)).toEqual(["violation", "terminal"]);
  for (const state of ["unopened", "prelude", "streaming"] as const)
    expect(step(state, 0)).toEqual(["violation", "terminal"]);
});

test("a terminal is legal from every phase, once [L-29]", () => {
  for (const state of ["unopened", "prelude", "streaming"] as const)
    expect(step(state, TERMINAL)).toEqual(["end", "terminal"]);
  for (let message = 0; message < CLASS_COUNT; message += 1)
    expect(step("terminal", message)).toEqual(["late", "terminal"]);
});
