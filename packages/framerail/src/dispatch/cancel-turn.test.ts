import { expect, test } from "vitest";
import { cancelTurn } from "./cancel-turn.js";
import type { Dispatcher } from "./dispatcher.js";
import { CANCEL_AGAIN_MS, CANCEL_MS_MAX } from "./limits.js";
import type { Replicas } from "./replicas.js";
import type { RunningTurn } from "./run-turn.js";
import { agentOf, handClock, start, tick } from "./testing/turn-bench.js";

const dispatcherOf = (turn?: RunningTurn) => ({ running: () => turn }) as unknown as Dispatcher;

test("a turn of this process is cancelled in the tick of the call, and the answer waits for its end [G5] [W-CAN-6]", async () => {
  const { turn, sink } = start(
    agentOf(({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))),
  );
  let ended = false;
  void turn.ended.then(() => (ended = true));
  const cancelled = cancelTurn(
    { dispatcher: dispatcherOf(turn), clock: handClock() },
    { turnId: "t", owner: "o", hasEnded: async () => ended },
  );
  expect(await cancelled).toBe(true);
  expect(sink.types()).toEqual(["response_id", "cancelled"]);
});

test("the owner of a turn elsewhere is asked until it has ended, also when it cannot be asked at first [W-CAN-6]", async () => {
  const clock = handClock();
  const asked: string[] = [];
  const replicas = {
    async askCancel(owner: string, turnId: string) {
      asked.push(`${owner} ${turnId}`);
      if (asked.length === 1) throw new Error("away");
    },
  } as Partial<Replicas> as Replicas;
  const cancelled = cancelTurn(
    { dispatcher: dispatcherOf(), replicas, clock },
    { turnId: "t", owner: "o", hasEnded: async () => asked.length >= 3 },
  );
  for (let round = 0; round < 5; round += 1) {
    await tick();
    clock.pass(CANCEL_AGAIN_MS);
  }
  expect(await cancelled).toBe(true);
  expect(asked).toEqual(["o t", "o t", "o t"]);
});

test("a turn that does not end within ten seconds is told so [W-CAN-6]", async () => {
  const clock = handClock();
  let answer: boolean | undefined;
  void cancelTurn({ dispatcher: dispatcherOf(), clock }, { turnId: "t", owner: "o", hasEnded: async () => false }).then(
    (ended) => (answer = ended),
  );
  for (let ms = 0; ms < CANCEL_MS_MAX; ms += CANCEL_AGAIN_MS) {
    expect(answer).toBeUndefined();
    await tick();
    clock.pass(CANCEL_AGAIN_MS);
  }
  await tick();
  expect(answer).toBe(false);
});
