import { describe, expect, test } from "vitest";
import type { Fault } from "./testing/fake-server.js";
import { settle } from "./testing/hand-clock.js";
import { setUp } from "./testing/story.js";

const WITHDRAWN = { kind: "cancelled", code: "REQUEST_CANCELLED" };

/** A fault for each sending of the message in turn, then none. */
function onSend(...faults: readonly Fault[]) {
  const left = [...faults];
  return { fault: ({ path }: { readonly path: string }) => (path.endsWith("/turns") ? left.shift() : undefined) };
}

const later = (status: number, code: string): Fault => {
  return { kind: "status", status, code, headers: { "retry-after": "30" } };
};

describe("cancel during the wait for another attempt", () => {
  test.each([
    [429, "RATE_LIMITED"],
    [503, "DRAINING"],
  ])("after %i %s, which begins nothing, is over at once and begins nothing later [G5]", async (status, code) => {
    const { clock, server, session, timers } = setUp(onSend(later(status, code)));
    const turn = session.send("hello");
    await clock.pass(5);
    expect(turn.state.connection).toBe("waiting");
    const end = turn.cancel();
    await settle();
    expect(turn.state).toMatchObject({ connection: "ended", outcome: WITHDRAWN });
    expect(await end).toEqual(WITHDRAWN);
    await clock.pass(60_000);
    expect([server.turns.length, timers.waiting, server.open]).toEqual([0, 0, 0]);
  });

  test.each([
    [503, "LOG_UNAVAILABLE"],
    [500, "COMMIT_UNKNOWN"],
    [502, "A_PROXY"],
  ])("after %i %s, which may have begun something, finds the turn first", async (status, code) => {
    const { clock, server, session } = setUp(onSend(later(status, code)));
    const turn = session.send("hello");
    await clock.pass(5);
    await clock.until(turn.cancel());
    expect(server.seen.at(-1)?.path).toBe("/v1/turns/turn-1/cancel");
  });

  test("after a refusal finds the turn first where an earlier answer was lost", async () => {
    const { clock, server, session } = setUp(onSend({ kind: "lost" }, later(429, "RATE_LIMITED")));
    const turn = session.send("hello");
    await clock.pass(2_000);
    expect([turn.state.connection, server.turns.length]).toEqual(["waiting", 1]);
    await clock.until(turn.cancel());
    expect([server.seen.at(-1)?.path, server.turns.length]).toEqual(["/v1/turns/turn-1/cancel", 1]);
  });

  test("after a refusal finds the turn first where a hidden page left an answer behind", async () => {
    let show: (sight: "visible" | "gone") => void = () => undefined;
    const page = {
      watch: (onChange: typeof show) => {
        show = onChange;
        return () => undefined;
      },
    };
    const { clock, server, session } = setUp({
      ...onSend({ kind: "hang" }, later(429, "RATE_LIMITED")),
      client: { page },
    });
    const turn = session.send("hello");
    await clock.pass(5);
    show("gone");
    show("visible");
    await clock.pass(5);
    expect([turn.state.connection, server.turns.length]).toEqual(["waiting", 1]);
    await clock.until(turn.cancel());
    expect(server.seen.at(-1)?.path).toBe("/v1/turns/turn-1/cancel");
  });

  test("of a session that is refused asks for nothing more", async () => {
    const { clock, server, session } = setUp({
      fault: ({ path }) => (path === "/v1/sessions" ? later(429, "RATE_LIMITED") : undefined),
    });
    const turn = session.send("hello");
    await clock.pass(5);
    expect(await turn.cancel()).toEqual(WITHDRAWN);
    await clock.pass(60_000);
    expect(server.seen).toHaveLength(1);
  });
});

test("refusals without a turn are counted, however certain they are [G8]", async () => {
  const { clock, session } = setUp({
    fault: ({ path }) => (path.endsWith("/turns") ? later(429, "RATE_LIMITED") : undefined),
  });
  await expect(clock.until(session.send("hello").outcome)).rejects.toMatchObject({ code: "RATE_LIMITED" });
});

test("a listener is never shown a turn that cancel withdrew as ended without its outcome", async () => {
  const { session } = setUp({ fault: ({ path }) => (path === "/v1/sessions" ? { kind: "hang" } : undefined) });
  const turn = session.send("hello");
  await settle();
  const shown = new Set<string>();
  turn.subscribe(() => shown.add(`${turn.state.connection} ${turn.state.outcome?.kind}`));
  await turn.cancel();
  expect([...shown]).toEqual(["ended cancelled"]);
});

describe("cancel that the server accepts, and whose turn takes its time to end,", () => {
  const SLOW = [
    [0, { event_type: "response_id" }],
    [10, { event_type: "text", chunk: "a" }],
    [20_000, { event_type: "cancelled", error: { code: "REQUEST_CANCELLED" } }],
  ] as const;

  test("resolves with the end for who has left before [W-CAN-4]", async () => {
    const { clock, session, timers } = setUp({ script: SLOW });
    const turn = session.send("hello");
    await clock.pass(15);
    turn.detach();
    expect(await clock.until(turn.cancel())).toEqual(WITHDRAWN);
    expect(timers.waiting).toBe(0);
  });

  test("resolves with the end for who leaves meanwhile, and for who had to give up [W-CAN-4]", async () => {
    const { clock, session } = setUp({ script: SLOW });
    const turn = session.send("hello");
    await clock.pass(15);
    const end = turn.cancel();
    await clock.pass(1_000);
    turn.detach();
    expect(await clock.until(end)).toEqual(WITHDRAWN);

    let isBroken = true;
    const broken = setUp({
      script: SLOW,
      fault: ({ path }) => {
        if (path.endsWith("/turns")) return { kind: "break", bytes: 400 };
        return isBroken && path.endsWith("/stream") ? { kind: "status", status: 403 } : undefined;
      },
    });
    const failed = broken.session.send("hello");
    await expect(broken.clock.until(failed.outcome)).rejects.toMatchObject({ code: "FORBIDDEN" });
    isBroken = false;
    expect(await broken.clock.until(failed.cancel())).toEqual(WITHDRAWN);
  });

  test("asks only so often [G8]", async () => {
    const { clock, session, timers } = setUp({
      script: [
        [0, { event_type: "response_id" }],
        [1e9, { event_type: "completed" }],
      ],
    });
    const turn = session.send("hello");
    await clock.pass(5);
    turn.detach();
    await expect(clock.until(turn.cancel())).rejects.toMatchObject({ code: "STREAM_TRUNCATED" });
    expect(timers.waiting).toBe(0);
  });
});
