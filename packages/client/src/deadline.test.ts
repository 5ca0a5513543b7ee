import { describe, expect, test } from "vitest";
import { pause, untilAborted, withDeadline } from "./deadline.js";
import { handClock } from "./testing/hand-clock.js";

const never = new Promise<never>(() => undefined);
const live = () => new AbortController();

describe("a wait", () => {
  test("ends with its signal, whatever the other side does", async () => {
    const leaving = live();
    const wait = untilAborted(leaving.signal, never);
    leaving.abort("left");
    await expect(wait).rejects.toBe("left");
    await expect(untilAborted(leaving.signal, Promise.reject(new Error("unheard")))).rejects.toBe("left");
  });

  test("leaves no listener on a signal that lives longer", async () => {
    const { signal } = live();
    let listeners = 0;
    const counted = Object.assign(Object.create(signal) as AbortSignal, {
      addEventListener: () => {
        listeners += 1;
      },
      removeEventListener: () => {
        listeners -= 1;
      },
    });
    Object.defineProperty(counted, "aborted", { value: false });
    await untilAborted(counted, Promise.resolve(1));
    await untilAborted(counted, Promise.reject(new Error("x"))).catch(String);
    await withDeadline({ clock: handClock(), ms: 1, parent: counted }, async () => 1);
    expect(listeners).toBe(0);
  });

  test("for a time is over when it is over or left, and leaves no timer", async () => {
    const clock = handClock();
    const timers = clock.count();
    await clock.until(pause(timers, 50, live().signal));
    const leaving = live();
    const left = expect(pause(timers, 50, leaving.signal)).rejects.toMatchObject({ name: "AbortError" });
    leaving.abort();
    await left;
    expect(timers.waiting).toBe(0);
  });
});

describe("a deadline", () => {
  test("is told to whoever waits, begins anew when it is renewed, and leaves no timer", async () => {
    const clock = handClock();
    const timers = clock.count();
    const late = withDeadline({ clock: timers, ms: 100 }, ({ signal }) => untilAborted(signal, never));
    await expect(clock.until(late)).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    const renewed = withDeadline({ clock: timers, ms: 100 }, async ({ signal, renew }) => {
      for (let step = 0; step < 5; step += 1) {
        await pause(clock, 80, signal);
        renew();
      }
      return "done";
    });
    expect(await clock.until(renewed)).toBe("done");
    expect(timers.waiting).toBe(0);
  });

  test("lets go of what was begun when the run is over", async () => {
    let inside: AbortSignal | undefined;
    await withDeadline({ clock: handClock(), ms: 100 }, async ({ signal }) => {
      inside = signal;
    });
    expect(inside?.aborted).toBe(true);
  });
});
