import { FramerailError } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { pause, untilAborted, withDeadline } from "./deadline.js";
import { handClock } from "./testing/hand-clock.js";
import { setUp } from "./testing/story.js";

const never = new Promise<never>(() => undefined);
const live = () => new AbortController();

describe("a wait", () => {
  test("ends with its signal, whatever the other side does", async () => {
    const leaving = live();
    const wait = untilAborted(leaving.signal, never);
    leaving.abort("left");
    await expect(wait).rejects.toMatchObject({ code: "CANCELLED", cause: "left" });
    const late = untilAborted(leaving.signal, Promise.reject(new Error("unheard")));
    await expect(late).rejects.toMatchObject({ code: "CANCELLED" });
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
    const left = expect(pause(timers, 50, leaving.signal)).rejects.toMatchObject({ code: "CANCELLED" });
    leaving.abort();
    await left;
    expect(timers.waiting).toBe(0);
  });
});

describe("a request that its caller aborts", () => {
  test.each(["hang", "network"] as const)(
    "is CANCELLED in the midst of it and between two attempts: %s",
    async (kind) => {
      const { client, clock, timers } = setUp({ fault: () => ({ kind }) });
      const { session } = setUp({ fault: () => ({ kind }) });
      for (const request of [
        (signal: AbortSignal) => client.agents(signal),
        (signal: AbortSignal) => client.history("c", { signal }),
        (signal: AbortSignal) => session.ready(signal),
      ]) {
        const leaving = live();
        const left = expect(request(leaving.signal)).rejects.toMatchObject({
          name: "FramerailError",
          code: "CANCELLED",
        });
        await clock.pass(5);
        leaving.abort();
        await left;
        await expect(request(leaving.signal)).rejects.toMatchObject({ code: "CANCELLED" });
      }
      expect(timers.waiting).toBe(0);
    },
  );

  test("keeps what it was aborted with as the cause, and an error of ours as it is", async () => {
    const { client } = setUp({ fault: () => ({ kind: "hang" }) });
    const why = new Error("another page");
    const asked = client.agents(AbortSignal.abort(why));
    await expect(asked).rejects.toMatchObject({ code: "CANCELLED", cause: why });
    const ours = new FramerailError("DEADLINE_EXCEEDED", "too late for us");
    await expect(client.agents(AbortSignal.abort(ours))).rejects.toBe(ours);
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
