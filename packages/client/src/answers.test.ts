import { describe, expect, test } from "vitest";
import { ANSWER_BYTES_MAX, RESETS_MAX } from "./limits.js";
import { ResponseError } from "./response-error.js";
import type { Fault } from "./testing/fake-server.js";
import { collect, STORY, STORY_TEXT, setUp } from "./testing/story.js";

const onTurns = (fault: Fault) => (seen: { readonly path: string }) =>
  seen.path.endsWith("/turns") ? fault : undefined;

describe("an answer that will not change", () => {
  test.each([
    [400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"],
    [401, "UNAUTHENTICATED", "UNAUTHENTICATED"],
    [403, "FORBIDDEN", "FORBIDDEN"],
    [404, "NOT_FOUND", "NOT_FOUND"],
    [409, "TURN_RUNNING", "TURN_RUNNING"],
    [409, "SESSION_CLOSED", "SESSION_CLOSED"],
    [413, "INPUT_TOO_LARGE", "INPUT_TOO_LARGE"],
    [422, "KEY_REUSED", "KEY_REUSED"],
    [429, "BUDGET_EXHAUSTED", "BUDGET_EXHAUSTED"],
    [404, "SOMETHING_NEW", "NOT_FOUND"],
    [418, "SOMETHING_NEW", "INVALID_ARGUMENT"],
  ])("%i %s fails the turn at once as %s", async (status, code, expected) => {
    const { clock, server, session, timers } = setUp({ fault: onTurns({ kind: "status", status, code }) });
    const turn = session.send("hello");
    const failure = await clock.until(turn.outcome.catch((error: unknown) => error));
    expect(failure).toBeInstanceOf(ResponseError);
    expect(failure).toMatchObject({ code: expected, status });
    expect(server.seen.filter(({ path }) => path.endsWith("/turns"))).toHaveLength(1);
    expect([turn.state.connection, timers.waiting]).toEqual(["failed", 0]);
  });

  test("says nothing but our own words [G7]", async () => {
    const { clock, session } = setUp({ fault: onTurns({ kind: "status", status: 400, code: "<secret>" }) });
    const failure = await clock.until(session.send("hello").outcome.catch(String));
    expect(failure).toBe("FramerailError: the server answered 400 (INVALID_ARGUMENT)");
  });

  test.each([408, 425, 429, 500, 502, 503, 504])("%i is none: it is tried again", async (status) => {
    const left: Fault[] = [{ kind: "status", status }];
    const { clock, session } = setUp({ fault: ({ path }) => (path.endsWith("/turns") ? left.shift() : undefined) });
    expect(await clock.until(session.send("hello").outcome)).toEqual({ kind: "completed", paused: false });
  });
});

describe("a token", () => {
  const guard = (good: string) => (seen: { readonly headers: Record<string, string> }) =>
    seen.headers.authorization === `Bearer ${good}` ? undefined : ({ kind: "status", status: 401 } as const);

  test("that was refused is asked for again, once for requests that were refused together", async () => {
    const asked: boolean[] = [];
    const token = async ({ refresh }: { readonly refresh: boolean }) => {
      asked.push(refresh);
      return refresh ? "new" : "old";
    };
    const { clock, client } = setUp({ fault: guard("new"), client: { token } });
    const turns = ["a", "b"].map((agentId) => client.session({ agentId }).send("hello"));
    for (const turn of turns) expect(await clock.until(turn.text)).toBe(STORY_TEXT);
    expect(asked).toEqual([false, true]);
  });

  test("that is refused again is a failure, and so is a fixed one at once", async () => {
    let asked = 0;
    const token = () => `wrong-${++asked}`;
    const renewing = setUp({ fault: guard("right"), client: { token } });
    await expect(renewing.clock.until(renewing.session.send("hello").outcome)).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      status: 401,
    });
    expect(asked).toBe(2);
    const fixed = setUp({ fault: guard("right"), client: { token: "wrong" } });
    await expect(fixed.clock.until(fixed.session.send("hello").outcome)).rejects.toMatchObject({ status: 401 });
    expect(fixed.server.seen).toHaveLength(1);
  });

  test("that expires during the turn is renewed on the way", async () => {
    let now = "one";
    const left: Fault[] = [{ kind: "break", bytes: 400 }];
    const { clock, session } = setUp({
      client: { token: async () => now },
      fault: (seen) => {
        const cut = seen.path.endsWith("/turns") ? left.shift() : undefined;
        if (cut === undefined) return guard(now)(seen);
        now = "two";
        return cut;
      },
    });
    expect(await clock.until(session.send("hello").text)).toBe(STORY_TEXT);
  });

  test("that cannot be had for a moment is waited for", async () => {
    let asked = 0;
    const token = async () => {
      asked += 1;
      if (asked < 3) throw new Error("offline");
      return "good";
    };
    const { clock, session } = setUp({ client: { token } });
    expect(await clock.until(session.send("hello").text)).toBe(STORY_TEXT);
  });
});

describe("a cursor the server cannot honour", () => {
  test("ends with the stored answer when the turn has ended, and says that frames are missing [D-2, G3]", async () => {
    const { clock, server, client } = setUp({
      fault: ({ path }) => (path.endsWith("/stream") ? { kind: "status", status: 410 } : undefined),
    });
    server.begin();
    await clock.pass(1_000);
    const turn = client.turn("turn-1", { after: "turn-1.1.3" });
    const frames = expect(collect(turn)).rejects.toMatchObject({ code: "CURSOR_EXPIRED", retry: "from_start" });
    expect(await clock.until(turn.outcome)).toEqual({ kind: "completed", paused: false });
    expect(await turn.text).toBe(STORY_TEXT);
    expect(turn.state.items).toMatchObject([{ type: "message", content: STORY_TEXT }]);
    await frames;
    const asked = server.seen.length;
    expect((await turn.message)?.content_items).toHaveLength(1);
    expect(server.seen).toHaveLength(asked);
  });

  test("begins again from the first frame when the turn runs, and tells so [D-2]", async () => {
    const plan: Fault[] = [
      { kind: "break", bytes: 900 },
      { kind: "status", status: 410 },
    ];
    const { clock, session, reports } = setUp({
      script: STORY.map(([wait, frame]) => [wait * 20, frame] as const),
      fault: ({ path }) => (/turns$|stream$/.test(path) ? plan.shift() : undefined),
    });
    const turn = session.send("hello");
    const first = collect(turn);
    await expect(clock.until(first)).rejects.toMatchObject({ code: "CURSOR_EXPIRED" });
    expect(turn.state.resets).toBe(1);
    const again = await clock.until(collect(turn));
    expect(again.map(({ seq }) => seq)).toEqual(STORY.map((_, index) => index + 1));
    expect(await turn.text).toBe(STORY_TEXT);
    expect(reports.filter(({ kind }) => kind === "reset")).toEqual([{ kind: "reset", turnId: "turn-1" }]);
  });

  test("is begun again only so often [G8]", async () => {
    const { clock, server, client, reports } = setUp({
      script: [
        [0, { event_type: "response_id" }],
        [1e9, { event_type: "completed" }],
      ],
      fault: ({ path }) => (path.endsWith("/stream") ? { kind: "status", status: 410 } : undefined),
    });
    server.begin();
    await expect(clock.until(client.turn("turn-1").outcome)).rejects.toMatchObject({ code: "CURSOR_EXPIRED" });
    expect(reports).toHaveLength(RESETS_MAX);
  });

  test("at the end of the turn gets its outcome and no frames [D-2]", async () => {
    const { clock, server, client } = setUp();
    server.begin();
    await clock.pass(1_000);
    const turn = client.turn("turn-1", { after: String(STORY.length) });
    expect(await clock.until(collect(turn))).toEqual([]);
    expect(await turn.outcome).toEqual({ kind: "completed", paused: false });
    expect(turn.state).toMatchObject({ connection: "ended", text: STORY_TEXT });
  });
});

describe("what the other routes answer", () => {
  const reply = (value: unknown, headers: Record<string, string> = {}) => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return new Response(typeof value === "string" ? value : JSON.stringify(value), { headers });
    };
    return { asked, ...setUp({ client: { fetch, url: "http://fake/base/" } }) };
  };

  test("a page of history comes with the way to the one before it [P-42]", async () => {
    const link = '</v1/conversations/c%2F1/messages?limit=2&before=older%3D>; rel="prev"';
    const { asked, client } = reply([{ role: "user" }, { role: "assistant" }], { link });
    const page = await client.history("c/1", { limit: 2, before: "x=", reasoning: true });
    expect(page).toEqual({ messages: [{ role: "user" }, { role: "assistant" }], before: "older=" });
    expect(asked).toEqual(["http://fake/base/v1/conversations/c%2F1/messages?reasoning=true&limit=2&before=x%3D"]);
    expect((await reply([]).client.history("c")).before).toBeUndefined();
  });

  test("agents are listed, and nonsense is refused by name", async () => {
    expect(await reply({ agents: [{ agent_id: "a", emitters: [] }] }).client.agents()).toMatchObject([
      { agent_id: "a" },
    ]);
    await expect(reply({}).client.agents()).rejects.toMatchObject({ code: "MALFORMED_JSON" });
    await expect(reply({ code: 1 }).client.history("c")).rejects.toMatchObject({ code: "MALFORMED_JSON" });
  });

  test("an answer without end is not read without end [G8]", async () => {
    let pulled = 0;
    const fetch = async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled += 1_048_576;
            controller.enqueue(new Uint8Array(1_048_576).fill(32));
          },
        }),
      );
    const { client } = setUp({ client: { fetch } });
    await expect(client.agents()).rejects.toMatchObject({ code: "INPUT_TOO_LARGE" });
    expect(pulled).toBeLessThan(ANSWER_BYTES_MAX + 4 * 1_048_576);
  });

  test("a session is ready by itself, and a known one is asked for", async () => {
    const { clock, server, session, client } = setUp();
    expect(await clock.until(session.ready())).toMatchObject({ session_id: "session-1" });
    await clock.until(session.send("hello").outcome);
    expect(server.sessions).toBe(1);
    const known = client.session({ sessionId: "session-9" });
    await clock.until(known.send("hello").outcome);
    expect(server.seen.at(-1)?.path).toBe("/v1/sessions/session-9/turns");
    expect(() => session.send("")).toThrow("a message is text");
  });
});
