import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { call, open, readBody } from "./harness/caller.js";
import { readSse } from "./harness/sse-reader.js";
import type { PublicServer } from "./strangers/public-server.js";
import { startPublicServer } from "./strangers/public-server.js";
import type { ProxyName } from "./strangers/reverse-proxy.js";
import { PLAIN_PROXIES, startReverseProxy } from "./strangers/reverse-proxy.js";

/** From the request to the first frame, and from the time in a frame to its arrival. */
const LAG_MS_MAX = 1_000;
const WORDS = 15;
const WORD_MS = 100;

const LONG = process.env.FRAMERAIL_LONG === "1";
/** Longer than a heartbeat; in the long run, longer than what plain proxies bear without a byte. */
const SILENT_MS = LONG ? 55_000 : 17_000;
/** haproxy notices by writing that its caller has gone: with the next bytes or those after them, heartbeats included. */
const PAUSE_MS = LONG ? 50_000 : 3_000;
const LEFT_MS_MAX = 35_000;

const NAMES = Object.keys(PLAIN_PROXIES) as ProxyName[];
const urls = new Map<ProxyName, string>();
let server: PublicServer;
beforeAll(async () => {
  server = await startPublicServer();
  const proxies = await Promise.all(
    NAMES.map(async (name) => {
      const proxy = await startReverseProxy(name, PLAIN_PROXIES[name], server.port);
      urls.set(name, `http://127.0.0.1:${proxy.port}`);
      return proxy;
    }),
  );
  return async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await server.close();
  };
}, 240_000);

interface WireFrame {
  readonly event_type: string;
  readonly timestamp: string;
}

const FORMS = {
  "text/event-stream": (text: string): string[] =>
    readSse(text)
      .events.map(({ data }) => data)
      .filter((data) => data !== "[DONE]"),
  "application/x-ndjson": (text: string): string[] => text.split("\n").slice(0, -1),
} as const;
type Form = keyof typeof FORMS;

interface Asked {
  readonly proxy: ProxyName;
  readonly form?: Form;
  readonly body: object;
  readonly signal?: AbortSignal;
}

/** Sends a message to the assistant, in a session of its own, through a proxy. */
async function ask({ proxy, form = "text/event-stream", body, signal }: Asked) {
  const session = await server.openSession("assistant");
  const askedAt = Date.now();
  const response = await open(`${urls.get(proxy)}/v1/sessions/${session}/turns`, {
    method: "POST",
    headers: { ...server.authorized, accept: form },
    body,
    ...(signal && { signal }),
  });
  return { askedAt, response, turnId: response.headers["framerail-turn-id"] as string };
}

/** Sends a message, leaves once the model is answering, and gives what became of the turn. */
async function leave(proxy: ProxyName, message: string) {
  const leaving = new AbortController();
  const name = randomUUID();
  const body = { message: `${name}: ${message}`, on_disconnect: { action: "cancel", grace_ms: 0 } };
  const { response, turnId } = await ask({ proxy, body, signal: leaving.signal });
  await once(response, "data");
  const calls = () => server.model.callsOf(name);
  await vi.waitUntil(() => (calls()[0]?.words ?? 0) > 0, { timeout: 10_000 });
  leaving.abort();
  await vi.waitUntil(async () => (await server.readTurn(turnId)).status === "ended", { timeout: LEFT_MS_MAX });
  return { outcome: (await server.readTurn(turnId)).outcome, calls: calls() };
}

const CANCELLED = {
  outcome: { kind: "cancelled", code: "REQUEST_CANCELLED" },
  calls: [{ end: "closed_by_caller" }],
};

describe.each(NAMES)("behind a plain %s", (proxy) => {
  test.each(Object.keys(FORMS) as Form[])(
    "frames of %s arrive as they are written, and the end is clean [W-FR-9c] [W-FR-14] [D-17]",
    async (form) => {
      const message = `say ${WORDS} words every ${WORD_MS} ms`;
      const { askedAt, response, turnId } = await ask({ proxy, form, body: { message } });
      const arrivals: { readonly at: number; readonly frame: WireFrame }[] = [];
      let read = "";
      const { text, complete } = await readBody(response, (piece) => {
        read += piece;
        const at = Date.now();
        const frames = FORMS[form](read).slice(arrivals.length);
        arrivals.push(...frames.map((frame) => ({ at, frame: JSON.parse(frame) as WireFrame })));
      });
      expect(complete).toBe(true);
      expect(FORMS[form](text)).toEqual(await server.framesOf(turnId));
      expect(arrivals.at(-1)?.frame.event_type).toBe("completed");
      expect((arrivals[0]?.at ?? 0) - askedAt).toBeLessThan(LAG_MS_MAX);
      const lags = arrivals.map(({ at, frame }) => at - Date.parse(frame.timestamp));
      expect(Math.max(...lags)).toBeLessThan(LAG_MS_MAX);
      // Not in one lump; haproxy, unless it is told not to, joins what comes within 200 ms.
      expect(new Set(arrivals.map(({ at }) => at)).size).toBeGreaterThan(WORDS / 4);
    },
  );

  test("a reader resumes a turn that runs, from its cursor, and is told 204 at its end [G3] [D-2]", async () => {
    const turnId = await server.begin("say 40 words every 20 ms");
    const read = async (after: number) =>
      call(`${urls.get(proxy)}/v1/turns/${turnId}/stream?after=${after}`, { headers: server.authorized });
    const [whole, part] = await Promise.all([read(0), read(2)]);
    const frames = await server.framesOf(turnId);
    expect(FORMS["text/event-stream"](whole.text)).toEqual(frames);
    expect(FORMS["text/event-stream"](part.text)).toEqual(frames.slice(2));
    expect((await read(frames.length)).status).toBe(204);
  });

  test("a caller who leaves is noticed, and the turn is cancelled as it asked [D-9] [G5] [W-CAN-1]", async () => {
    expect(await leave(proxy, "say 2000 words every 20 ms")).toMatchObject(CANCELLED);
  });

  test("what is refused arrives as the server said it [G7]", async () => {
    const { status, headers, json } = await call(`${urls.get(proxy)}/v1/turns/${randomUUID()}/stream`, {
      headers: server.authorized,
    });
    expect(status).toBe(404);
    expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(json).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe.concurrent.each(NAMES)("behind a plain %s, while little is written", (proxy) => {
  test("a stream is kept open by its signs of life [D-19] [G1]", async () => {
    const { response } = await ask({ proxy, body: { message: `say 1 words every ${SILENT_MS} ms` } });
    const { text, complete } = await readBody(response);
    expect(complete).toBe(true);
    expect(JSON.parse(FORMS["text/event-stream"](text).at(-1) ?? "")).toMatchObject({ event_type: "completed" });
    expect(readSse(text).comments.length).toBeGreaterThan(1);
  }, 180_000);

  test("a caller who leaves is noticed with the bytes that come next, at the latest [D-9] [G5]", async () => {
    expect(await leave(proxy, `say 10 words every ${PAUSE_MS} ms`)).toMatchObject(CANCELLED);
  }, 180_000);
});
