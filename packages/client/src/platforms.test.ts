import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { setUp } from "./testing/story.js";

beforeEach(() => void vi.resetModules());
afterEach(() => void vi.unstubAllGlobals());

const asked: RequestInit[] = [];
/** The client as it is on a platform with these globals, and without those that are undefined. */
async function clientOn(globals: Readonly<Record<string, unknown>>, answer: unknown, headers = {}) {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const { createClient } = await import("./client.js");
  asked.length = 0;
  const paths: string[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push(init);
    paths.push(url);
    return new Response(JSON.stringify(answer), { headers });
  };
  return { paths, client: createClient({ url: "http://fake", fetch, page: null }) };
}

describe("a platform", () => {
  test("without TextDecoder can import the client, and install one afterwards", async () => {
    const { TextDecoder } = globalThis;
    const { client } = await clientOn({ TextDecoder: undefined }, { agents: [] });
    vi.stubGlobal("TextDecoder", TextDecoder);
    expect(await client.agents()).toEqual([]);
  });

  test("whose URLSearchParams can nothing reads history all the same [P-42]", async () => {
    class Unable {
      constructor() {
        throw new Error("not implemented");
      }
    }
    const link = '</v1/conversations/c/messages?before=a%3D+b&limit=2>; rel="prev"';
    const { client, paths } = await clientOn({ URLSearchParams: Unable }, [], { link });
    const page = await client.history("c", { before: "x=&y", reasoning: true, limit: 0 });
    expect(page).toEqual({ messages: [], before: "a= b" });
    await client.history("c", { reasoning: false });
    expect(paths).toEqual([
      "http://fake/v1/conversations/c/messages?reasoning=true&limit=0&before=x%3D%26y",
      "http://fake/v1/conversations/c/messages?reasoning=false",
    ]);
  });

  test("that keeps answers is asked not to, and one that knows no such option is not given it", async () => {
    class Edge {}
    for (const [Request, cache] of [[globalThis.Request, "no-store"], [Edge], [undefined]] as const) {
      const { client } = await clientOn({ Request }, { agents: [] });
      await client.agents();
      expect(asked).toMatchObject([{ method: "GET" }]);
      expect(asked[0]?.cache).toBe(cache);
      expect(Object.hasOwn(asked[0] ?? {}, "cache")).toBe(cache !== undefined);
    }
  });
});

describe("a caller's mistake", () => {
  test.each(["localhost:4180", "agents.example.com", "ftp://host", "ws://host", " http://host"])(
    "in the url is told when the client is made: %s",
    (url) => {
      expect(() => setUp({ client: { url } })).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining("http://") }),
      );
    },
  );

  test.each(["", "/", "/base", "http://host", "https://host/base/", "HTTP://host"])("is not this url: %s", (url) => {
    expect(() => setUp({ client: { url } })).not.toThrow();
  });

  test.each([
    ["idempotency-key", {}, "bestellung–1"],
    ["idempotency-key", {}, "two\nlines"],
    ["authorization", { token: "“secret”" }, undefined],
    ["authorization", { token: async () => "secret\u0000" }, undefined],
  ] as const)(
    "in what becomes the header %s fails the turn at once, without the value [G7]",
    async (name, more, key) => {
      const { clock, server, session, reports } = setUp({ client: more });
      const turn = session.send("hello", key === undefined ? {} : { idempotencyKey: key });
      const begun = clock.now();
      const failure = await clock.until(turn.outcome.catch((error: unknown) => error));
      expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(name) });
      expect(String(failure)).not.toContain("secret");
      expect([server.turns.length, reports.length, clock.now() - begun]).toEqual([0, 0, 0]);
    },
  );

  test("is not what fetch itself sets right: a line end around a token", async () => {
    const { clock, session } = setUp({ client: { token: "from a file\n" } });
    expect((await clock.until(session.send("hello").outcome)).kind).toBe("completed");
  });
});
