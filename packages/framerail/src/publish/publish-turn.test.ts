import type { Clock } from "@framerail/protocol";
import { formatTimestamp } from "@framerail/protocol";
import { expect, test } from "vitest";
import type { Policy, TurnPolicyOptions } from "../policy/policy.js";
import { publishTurn } from "./publish-turn.js";

/** A clock that goes on by a second whenever it is read, so that a second reading shows. */
class CountingClock implements Clock {
  readings = 0;

  now(): number {
    this.readings += 1;
    return this.readings * 1_000;
  }

  schedule(): () => void {
    return () => undefined;
  }
}

function openTurn() {
  const clock = new CountingClock();
  const stamps: string[] = [];
  const seen: number[] = [];
  const opened: TurnPolicyOptions[] = [];
  const policy: Policy = {
    shows: () => true,
    open(options) {
      opened.push(options);
      return {
        apply(event) {
          if (event.type === "log") throw new Error("a stage failed");
          if (event.type === "text") options.emit({ type: "text", payload: { chunk: event.content } });
          else options.emit({ type: "response_id", payload: {} });
          return "forward";
        },
        flush: () => undefined,
        close: () => undefined,
      };
    },
  };
  const turn = publishTurn({
    turnId: "t",
    conversationId: "c",
    epoch: 1,
    agentId: "assistant",
    policy,
    clock,
    taps: [{ take: (_event, _emitter, at) => seen.push(at) }],
    sink: {
      backlogBytes: 0,
      ready: () => Promise.resolve(),
      append: ({ sse }) => stamps.push(/"timestamp":"([^"]+)"/.exec(sse)?.[1] ?? ""),
      seal: () => Promise.resolve(),
    },
  });
  const show = () => opened[0]?.emit({ type: "thinking", payload: {} });
  return { clock, turn, stamps, seen, show };
}

test("the clock is read once for an event, whose taps and frame have the same time [W-EV-20]", () => {
  const { clock, turn, stamps, seen } = openTurn();
  const before = clock.readings;
  turn.accept({ type: "text", content: "a" }, "assistant");
  turn.accept({ type: "text", content: "b" }, "assistant");
  expect(clock.readings - before).toBe(2);
  expect(seen).toHaveLength(3);
  expect(stamps).toEqual(seen.map(formatTimestamp));
});

test("a frame that is shown between two events has its own time [W-EV-20]", () => {
  const { clock, turn, stamps, show } = openTurn();
  turn.accept({ type: "text", content: "a" }, "assistant");
  show();
  expect(stamps.at(-1)).toBe(formatTimestamp(clock.readings * 1_000));
  expect(stamps.at(-1)).not.toBe(stamps.at(-2));
});

test("an event that a stage throws at does not lend its time to what comes later [W-EV-20]", () => {
  const { clock, turn, stamps, show } = openTurn();
  expect(() => turn.accept({ type: "log", level: "info", message: "x" }, "assistant")).toThrow("a stage failed");
  const before = clock.readings;
  show();
  expect(stamps.at(-1)).toBe(formatTimestamp((before + 1) * 1_000));
});
