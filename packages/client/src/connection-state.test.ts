import { describe, expect, test } from "vitest";
import { CONNECTION_EVENTS, CONNECTION_STATES, stepConnection } from "./connection-state.js";

// Written apart from the table it checks; a dot is "stays".
const EXPECTED = `
            open     resume    accepted   cut      at_end    expired   running   terminal  refused  detach
idle        opening  resuming  .          .        .         .         .         ended     failed   detached
opening     .        .         streaming  waiting  .         .         .         ended     failed   detached
streaming   .        .         .          waiting  .         .         .         ended     failed   detached
waiting     opening  resuming  .          .        .         .         .         ended     failed   detached
resuming    .        .         streaming  waiting  checking  checking  .         ended     failed   detached
checking    .        .         .          waiting  .         .         resuming  ended     failed   detached
detached    opening  resuming  .          .        .         .         .         ended     .        .
ended       .        .         .          .        .         .         .         .         .        .
failed      .        .         .          .        .         .         .         .         .        .
`;

const [head = [], ...rows] = EXPECTED.trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));
const cells = rows.flatMap(([state = "", ...to]) =>
  head.map((event, index) => [state, event, to[index] === "." ? state : to[index]] as const),
);

describe("the connection's steps", () => {
  test.each(cells)("%s at %s leads to %s", (state, event, to) => {
    expect(stepConnection(state as never, event as never)).toBe(to);
  });

  test("the list names every state and every event", () => {
    expect(rows.map(([state]) => state)).toEqual([...CONNECTION_STATES]);
    expect(head).toEqual([...CONNECTION_EVENTS]);
  });

  test("an end is left by nothing, and only a terminal leads to a good one [G1]", () => {
    for (const [state, event, to] of cells) {
      if (to === "ended" && state !== "ended") expect(event).toBe("terminal");
      if (state === "ended" || state === "failed") expect(to).toBe(state);
    }
  });
});
