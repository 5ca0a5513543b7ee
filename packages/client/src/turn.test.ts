import { describe, expect, test } from "vitest";
import { ATTEMPTS_MAX, SILENCE_MS_MAX } from "./limits.js";
import type { Fault } from "./testing/fake-server.js";
import { collect, STORY, STORY_TEXT, setUp } from "./testing/story.js";

/** One fault per stream request, then none. */
function faults(...list: readonly (Fault | undefined)[]) {
  const left = [...list];
  return ({ path }: { readonly path: string }) => (/turns$|stream$/.test(path) ? left.shift() : undefined);
}

const types = (frames: readonly { readonly event_type: string }[]) => frames.map(({ event_type }) => event_type);
const ALL = types(STORY.map(([, frame]) => frame));

describe("a message that is sent", () => {
  test("opens the session once, asks the turn to go on without us, and is read to its end [D-9]", async () => {
    const { clock, server, session, timers } = setUp();
    expect(server.seen).toEqual([]);
    const turn = session.send("hello");
    expect(types(await clock.until(collect(turn)))).toEqual(ALL);
    expect(server.seen).toMatchObject([
      { method: "POST", path: "/v1/sessions", body: { agent_id: "a" } },
      {
        method: "POST",
        path: "/v1/sessions/session-1/turns",
        headers: { "idempotency-key": "key-1", accept: "text/event-stream", "framerail-version": "0.5" },
        body: { message: "hello", on_disconnect: { action: "continue" } },
      },
    ]);
    expect(await turn.outcome).toEqual({ kind: "completed", paused: false });
    expect(await turn.text).toBe(STORY_TEXT);
    expect(turn).toMatchObject({ turnId: "turn-1", cursor: `turn-1.1.${STORY.length}` });
    expect(turn.state).toMatchObject({ connection: "ended", text: STORY_TEXT, turnId: "turn-1" });
    expect([timers.waiting, server.open]).toEqual([0, 0]);
  });

  test("has its message from history, asked for only when somebody looks", async () => {
    const { clock, server, session } = setUp();
    const turn = session.send("hello");
    await clock.until(turn.outcome);
    const before = server.seen.length;
    const message = await clock.until(turn.message);
    expect(message?.content_items).toMatchObject([{ type: "message", content: STORY_TEXT }]);
    await turn.message;
    expect(server.seen.slice(before)).toMatchObject([{ path: "/v1/turns/turn-1" }]);
  });

  test("gives every iterator every frame from the first on, whenever it begins [G2]", async () => {
    const { clock, session } = setUp();
    const turn = session.send("hello");
    const early = collect(turn);
    await clock.pass(60);
    const late = collect(turn);
    await clock.until(turn.outcome);
    const after = collect(turn);
    for (const frames of [early, late, after]) expect(types(await frames)).toEqual(ALL);
  });

  test("goes on when a loop over it is left [G5]", async () => {
    const { clock, session } = setUp();
    const turn = session.send("hello");
    const left = (async () => {
      for await (const frame of turn) if (frame.event_type === "status") break;
    })();
    await clock.until(left);
    expect(await clock.until(turn.text)).toBe(STORY_TEXT);
  });

  test("two messages before there is a session open one", async () => {
    const { clock, server, session } = setUp();
    const turns = [session.send("one"), session.send("two")];
    await clock.until(Promise.all(turns.map(({ outcome }) => outcome)));
    expect([server.sessions, server.turns.length]).toEqual([1, 2]);
    expect(session).toMatchObject({ sessionId: "session-1", conversationId: "conversation-1" });
  });

  test("is the same turn for a reader who comes with its id, from the start or after a cursor [G3]", async () => {
    const { clock, client, session } = setUp();
    const sent = session.send("hello");
    await clock.until(sent.outcome);
    expect(types(await clock.until(collect(client.turn("turn-1"))))).toEqual(ALL);
    const rest = client.turn("turn-1", { after: "turn-1.1.8" });
    expect(types(await clock.until(collect(rest)))).toEqual(ALL.slice(8));
    expect(() => client.turn("turn-1", { after: "nonsense" })).toThrow("a cursor is");
  });

  test("is read from NDJSON as from server-sent events [D-7]", async () => {
    const { clock, server, session } = setUp({
      client: { transport: "ndjson" },
      fault: faults({ kind: "close", bytes: 700 }),
    });
    expect(types(await clock.until(collect(session.send("hello"))))).toEqual(ALL);
    expect(server.seen.at(-1)?.headers).toMatchObject({ accept: "application/x-ndjson", "last-event-id": "4" });
  });
});

describe("a cut", () => {
  test.each([
    ["breaks", { kind: "break", bytes: 400 }],
    ["ends as if all were well", { kind: "close", bytes: 400 }],
    ["falls silent", { kind: "silence", bytes: 400 }],
    ["repeats frames", { kind: "repeat", frames: 3 }],
    ["leaves one out", { kind: "gap" }],
    ["hands over one byte at a time", { kind: "slices", bytes: 1 }],
    ["is a page of somebody else", { kind: "page" }],
    ["is never answered", { kind: "hang" }],
    ["fails on the server", { kind: "status", status: 503 }],
    ["is lost on its way back", { kind: "lost" }],
  ] as const)("a stream that %s loses and doubles nothing [G1, G3]", async (_, fault) => {
    const { clock, server, session, timers } = setUp({ fault: faults(fault, fault) });
    const turn = session.send("hello");
    expect(types(await clock.until(collect(turn)))).toEqual(ALL);
    expect(await turn.text).toBe(STORY_TEXT);
    expect([server.turns.length, timers.waiting, server.open]).toEqual([1, 0, 0]);
  });

  test("is resumed after the last whole frame, with its id [D-2]", async () => {
    const { clock, server, session, reports } = setUp({ fault: faults({ kind: "break", bytes: 400 }) });
    await clock.until(collect(session.send("hello")));
    expect(server.seen.at(-1)).toMatchObject({
      method: "GET",
      path: "/v1/turns/turn-1/stream",
      headers: { "last-event-id": "turn-1.1.2" },
    });
    expect(reports).toEqual([
      { kind: "cut", turnId: "turn-1", code: "UPSTREAM_FAILED", attempt: 1, retryInMs: 750 },
      { kind: "resumed", turnId: "turn-1" },
    ]);
  });

  test("whose answer was lost sends the message again under the same key", async () => {
    const { clock, server, session } = setUp({ fault: faults({ kind: "lost" }, { kind: "lost" }) });
    await clock.until(session.send("hello").outcome);
    const keys = server.seen
      .filter(({ path }) => path.endsWith("/turns"))
      .map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["key-1", "key-1", "key-1"]);
    expect(server.turns).toHaveLength(1);
  });

  test("by silence is told after two and a half heartbeats", async () => {
    const { clock, session, reports } = setUp({ fault: faults({ kind: "silence", bytes: 400 }) });
    const turn = session.send("hello");
    await clock.pass(20);
    await clock.pass(SILENCE_MS_MAX - 30);
    expect([turn.state.connection, reports]).toEqual(["streaming", []]);
    await clock.pass(60);
    expect(reports).toMatchObject([{ kind: "cut", code: "DEADLINE_EXCEEDED" }]);
    expect(turn.state.connection).toBe("waiting");
  });

  test("waits as long as the server asks for, within our maximum", async () => {
    const later = (seconds: string): Fault => ({ kind: "status", status: 503, headers: { "retry-after": seconds } });
    const { clock, session, reports } = setUp({ fault: faults(later("7"), later("86400")) });
    await clock.until(session.send("hello").outcome);
    expect(reports).toMatchObject([{ retryInMs: 7_000 }, { retryInMs: 60_000 }]);
  });

  test("again and again without a frame is a failure that can be told apart [G8]", async () => {
    const { clock, server, session, timers, reports } = setUp({
      fault: ({ path }) => (path.endsWith("turns") ? { kind: "network" } : undefined),
    });
    const turn = session.send("hello");
    await expect(clock.until(collect(turn))).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    await expect(turn.outcome).rejects.toMatchObject({ code: "UPSTREAM_FAILED", retry: "same_call" });
    expect(turn.state).toMatchObject({ connection: "failed", failure: { code: "UPSTREAM_FAILED" } });
    expect(server.seen.filter(({ path }) => path.endsWith("/turns"))).toHaveLength(ATTEMPTS_MAX);
    expect([reports.length, timers.waiting]).toEqual([ATTEMPTS_MAX - 1, 0]);
  });

  test("again and again leaves nothing on its way when the client gives up: no progress, no placeholder [I-24]", async () => {
    const { clock, session } = setUp({
      fault: ({ path }) => {
        if (path.endsWith("/turns")) return { kind: "break", bytes: 1_500 };
        return path.endsWith("/stream") ? { kind: "network" } : undefined;
      },
    });
    const turn = session.send("hello");
    await clock.pass(100);
    expect(turn.state).toMatchObject({ progress: { kind: "status" }, placeholders: [{ id: "offer-list-1" }] });
    await expect(clock.until(turn.outcome)).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    expect(turn.state).toMatchObject({ connection: "failed", progress: undefined, placeholders: [] });
  });

  test("for a session that comes in the end leaves the message all its attempts", async () => {
    const failures = { sessions: 0, turns: 0 };
    const fault = ({ path }: { readonly path: string }): Fault | undefined => {
      const asked = path.endsWith("/turns") ? "turns" : path.endsWith("/sessions") ? "sessions" : undefined;
      if (asked === undefined || failures[asked] === ATTEMPTS_MAX - 1) return undefined;
      failures[asked] += 1;
      return { kind: "network" };
    };
    const { clock, session } = setUp({ fault });
    expect(await clock.until(session.send("hello").text)).toBe(STORY_TEXT);
  });

  test("that brings at least one frame each time is never too often", async () => {
    const script = Array.from({ length: ATTEMPTS_MAX * 3 }, (_, index) =>
      index === 0 ? ([0, { event_type: "response_id" }] as const) : ([0, { event_type: "text", chunk: "x" }] as const),
    );
    const fault = ({ path }: { readonly path: string }): Fault | undefined =>
      /turns$|stream$/.test(path) ? { kind: "close", bytes: 250 } : undefined;
    const { clock, session } = setUp({ script: [...script, [0, { event_type: "completed" }]], fault });
    expect(await clock.until(collect(session.send("hello")))).toHaveLength(ATTEMPTS_MAX * 3 + 1);
  });
});
