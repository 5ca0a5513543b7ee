import { expect, test } from "vitest";
import { settle } from "../testing/hand-clock.js";
import { setUp } from "../testing/story.js";
import { createFrameStore } from "./frame-store.js";

/** Animation frames by hand. */
function screen() {
  let pending: (() => void) | undefined;
  return {
    nextFrame: (callback: () => void) => {
      pending = callback;
      return () => {
        pending = undefined;
      };
    },
    paint: () => {
      const due = pending;
      pending = undefined;
      due?.();
    },
    isPending: () => pending !== undefined,
  };
}

test("a turn renews its snapshot at most once per animation frame, and ends with the last one", async () => {
  const { clock, session } = setUp();
  const turn = session.send("hello");
  const { nextFrame, paint } = screen();
  const store = createFrameStore(turn, nextFrame);
  let renders = 0;
  const leave = store.subscribe(() => {
    renders += 1;
  });
  const first = store.snapshot();
  await clock.pass(60);
  expect(store.snapshot()).toBe(first);
  paint();
  expect(renders).toBe(1);
  expect(store.snapshot()).toBe(turn.state);
  await clock.until(turn.outcome);
  paint();
  paint();
  expect([renders, store.snapshot()?.connection]).toEqual([2, "ended"]);
  leave();
});

test("what changed before the first subscription is not missed, and nothing is left after the last", async () => {
  const { clock, session } = setUp();
  const turn = session.send("hello");
  const { nextFrame, paint, isPending } = screen();
  const store = createFrameStore(turn, nextFrame);
  await clock.until(turn.outcome);
  let renders = 0;
  const render = () => {
    renders += 1;
  };
  const leave = [1, 2].map(() => store.subscribe(render));
  paint();
  expect([renders, store.snapshot()?.connection]).toEqual([2, "ended"]);
  for (const one of leave) one();
  expect(isPending()).toBe(false);
  const again = store.subscribe(render);
  again();
  expect(isPending()).toBe(false);
});

test("without animation frames a change is shown soon, by the clock", async () => {
  const { clock, session } = setUp();
  const turn = session.send("hello");
  const store = createFrameStore(turn);
  const shown = new Promise<void>((resolve) => {
    store.subscribe(resolve);
  });
  await clock.pass(30);
  await settle();
  await shown;
  expect(store.snapshot()?.turnId).toBe("turn-1");
  expect(createFrameStore(undefined).snapshot()).toBeUndefined();
});
