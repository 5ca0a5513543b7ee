import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient } from "./client.js";
import type { Fault } from "./testing/fake-server.js";
import { settle } from "./testing/hand-clock.js";
import { collect, STORY, setUp } from "./testing/story.js";

let unheard: unknown[] = [];
const onUnheard = (error: unknown) => unheard.push(error);
beforeEach(() => {
  unheard = [];
  process.on("unhandledRejection", onUnheard);
});
afterEach(() => {
  process.off("unhandledRejection", onUnheard);
  expect(unheard).toEqual([]);
});

const CANCELLED = [
  [0, { event_type: "response_id" }],
  [10, { event_type: "text", chunk: "a" }],
  [10, { event_type: "cancelled", error: { code: "REQUEST_CANCELLED" } }],
] as const;

describe("cancel", () => {
  test("stops the turn by its id and resolves when it has ended [G5, W-CAN-4]", async () => {
    const { clock, server, session } = setUp({ script: CANCELLED });
    const turn = session.send("hello");
    await clock.pass(5);
    expect(await clock.until(turn.cancel())).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    expect(server.seen.at(-1)).toMatchObject({ method: "POST", path: "/v1/turns/turn-1/cancel" });
    expect(await turn.text).toBe("a");
    const asked = server.seen.length;
    await turn.cancel();
    expect(server.seen).toHaveLength(asked);
  });

  test("of a message whose answer was lost finds the turn first, so that nothing runs on", async () => {
    const left: Fault[] = [{ kind: "lost" }];
    const { clock, server, session } = setUp({
      script: CANCELLED,
      fault: ({ path }) => (path.endsWith("/turns") ? left.shift() : undefined),
    });
    const turn = session.send("hello");
    await settle();
    expect(turn.turnId).toBeUndefined();
    await clock.until(turn.cancel());
    expect(server.turns).toHaveLength(1);
    expect(server.seen.some(({ path }) => path === "/v1/turns/turn-1/cancel")).toBe(true);
  });

  test("of a message that never left asks nothing of the server", async () => {
    const { clock, server, session, timers } = setUp({
      fault: ({ path }) => (path === "/v1/sessions" ? { kind: "hang" } : undefined),
    });
    const turn = session.send("hello");
    await settle();
    expect(await turn.cancel()).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    expect(await collect(turn)).toEqual([]);
    await clock.pass(1);
    expect([server.turns.length, server.seen.length, timers.waiting, turn.state.connection]).toEqual([
      0,
      1,
      0,
      "ended",
    ]);
  });

  test("is repeated while the server cannot be reached, and works for a reader who has left", async () => {
    const left: Fault[] = [{ kind: "network" }, { kind: "status", status: 503 }];
    const { clock, session, client } = setUp({
      script: CANCELLED,
      fault: ({ path }) => (path.endsWith("/cancel") ? left.shift() : undefined),
    });
    const turn = session.send("hello");
    await clock.pass(5);
    turn.detach();
    expect(await clock.until(turn.cancel())).toEqual({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    await expect(clock.until(client.turn("nobody").cancel())).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("detach", () => {
  test("ends loops, refuses promises and never cancels; another reader goes on where it was [G5]", async () => {
    const { clock, server, session, client, timers } = setUp();
    const turn = session.send("hello");
    const frames = collect(turn);
    await clock.pass(50);
    turn.detach();
    expect(turn.state.connection).toBe("detached");
    await expect(turn.text).rejects.toMatchObject({ code: "CANCELLED" });
    const before = await frames;
    expect([timers.waiting, server.open]).toEqual([0, 0]);
    const rest = client.turn(turn.turnId ?? "", { after: turn.cursor ?? "" });
    const after = await clock.until(collect(rest));
    expect([...before, ...after].map(({ seq }) => seq)).toEqual(STORY.map((_, index) => index + 1));
    expect(server.seen.some(({ path }) => path.endsWith("/cancel"))).toBe(false);
    turn.detach();
  });

  test("is what an aborted signal does, also one that was aborted before", async () => {
    const { clock, session, server } = setUp();
    const leaving = new AbortController();
    const turn = session.send("hello", { signal: leaving.signal });
    await clock.pass(20);
    leaving.abort();
    await expect(turn.outcome).rejects.toMatchObject({ code: "CANCELLED" });
    const asked = server.seen.length;
    const early = session.send("hello", { signal: leaving.signal });
    await expect(early.outcome).rejects.toMatchObject({ code: "CANCELLED" });
    expect(server.seen).toHaveLength(asked);
  });

  test("at any moment leaves no timer, no connection and no unheard rejection", async () => {
    const plans: (Fault | undefined)[] = [
      undefined,
      { kind: "break", bytes: 300 },
      { kind: "silence", bytes: 300 },
      { kind: "hang" },
      { kind: "lost" },
      { kind: "status", status: 410 },
      { kind: "status", status: 401 },
    ];
    for (const plan of plans) {
      for (let moment = 0; moment < 40; moment += 1) {
        const { clock, server, session, timers } = setUp({ fault: () => plan, client: { token: async () => "t" } });
        const turn = session.send("hello");
        const frames = collect(turn).catch(() => []);
        void turn.message;
        // Microtasks first, one by one; then time.
        for (let step = 0; step < moment && step < 25; step += 1) await Promise.resolve();
        if (moment >= 25) await clock.pass((moment - 25) * 12);
        turn.detach();
        const says = `${JSON.stringify(plan)} at ${moment}`;
        await settle();
        expect(timers.waiting, says).toBe(0);
        await frames;
        expect([timers.waiting, server.open], says).toEqual([0, 0]);
      }
    }
  });
});

describe("news that comes too late", () => {
  test("of a wait that is over in the moment of a detach does not begin anything again [G5]", async () => {
    const later = async (microtasks: number) => {
      for (let step = 0; step < microtasks; step += 1) await Promise.resolve();
    };
    for (let microtasks = 0; microtasks < 10; microtasks += 1) {
      let onFired: () => void = () => undefined;
      const { clock, server } = setUp({ fault: () => ({ kind: "network" }) });
      const timers = {
        now: clock.now,
        schedule: (ms: number, callback: () => void) =>
          clock.schedule(ms, () => {
            callback();
            onFired();
          }),
      };
      const turn = createClient({ url: "http://fake", fetch: server.fetch, clock: timers, page: null }).turn("turn-1");
      await settle();
      expect(turn.state.connection).toBe("waiting");
      onFired = () => void later(microtasks).then(() => turn.detach());
      await clock.pass(2_000);
      expect(turn.state.connection, `after ${microtasks}`).toBe("detached");
    }
  });

  test("of a connection that was left is no cut", async () => {
    const { clock, session, reports } = setUp();
    const turn = session.send("hello");
    await clock.pass(30);
    turn.detach();
    await clock.pass(1_000);
    expect(reports).toEqual([]);
  });
});

describe("approve", () => {
  test("answers an approval once, with the caller's word", async () => {
    const { clock, server, session } = setUp({
      fault: ({ path }) => (path.includes("approvals") ? { kind: "network" } : undefined),
    });
    const turn = session.send("hello");
    await clock.until(turn.outcome);
    await expect(clock.until(turn.approve("ap 1", { approved: true, note: "go" }))).rejects.toMatchObject({
      code: "UPSTREAM_FAILED",
    });
    expect(server.seen.filter(({ path }) => path === "/v1/approvals/ap%201")).toMatchObject([
      { method: "POST", body: { approved: true, note: "go" } },
    ]);
  });
});

describe("a listener", () => {
  test("is never shown an outcome or a failure on a connection that has not ended", async () => {
    for (const fault of [undefined, () => ({ kind: "status", status: 404 }) as const]) {
      const { clock, session } = setUp(fault && { fault });
      const turn = session.send("hello");
      const shown: string[] = [];
      turn.subscribe(() => {
        const { outcome, failure, connection } = turn.state;
        if (outcome !== undefined || failure !== undefined) shown.push(connection);
      });
      await clock.until(turn.outcome.catch(() => undefined));
      await settle();
      expect(new Set(shown)).toEqual(new Set([fault ? "failed" : "ended"]));
    }
  });

  test("hears of changes until it is taken away, and what it throws is not the turn's", async () => {
    const { clock, session } = setUp();
    const turn = session.send("hello");
    let heard = 0;
    const unsubscribe = turn.subscribe(() => {
      heard += 1;
    });
    expect(turn.state).toBe(turn.state);
    await clock.pass(30);
    expect(heard).toBeGreaterThan(2);
    unsubscribe();
    const before = heard;
    const thrown: unknown[] = [];
    const onThrown = (error: unknown) => thrown.push(error);
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", onThrown);
    turn.subscribe(() => {
      throw new Error("a listener's own");
    });
    await clock.until(turn.outcome);
    process.off("uncaughtException", onThrown);
    for (const other of others) process.on("uncaughtException", other);
    expect([heard, String(thrown[0])]).toEqual([before, "Error: a listener's own"]);
  });
});
