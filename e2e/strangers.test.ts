import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cut, CuttingProxy } from "./strangers/cutting-proxy.js";
import { createCuttingProxy } from "./strangers/cutting-proxy.js";
import type { PublicServer } from "./strangers/public-server.js";
import { startPublicServer } from "./strangers/public-server.js";
import type { Browser, DispatchedEvent, ReadWithStranger } from "./strangers/readers.js";
import { openBrowser, readWithCurl, readWithNpm, readWithUndici } from "./strangers/readers.js";
import { startReverseProxy } from "./strangers/reverse-proxy.js";

/** A browser that learns of a cut forgets what it was sent and has not looked at. Before it has seen a frame it has no
 *  cursor either, and its ticket is used: it would stop there [D-18]. */
const TIME_TO_LOOK_MS = 1_000;
/** Twice what a reader is told to wait before it connects again. */
const NO_MORE_MS = 2_000;

let browser: Browser;
let server: PublicServer;
beforeAll(async () => {
  browser = await openBrowser();
  server = await startPublicServer([browser.origin]);
}, 120_000);
afterAll(async () => {
  await server.close();
  await browser.close();
});

const READERS: Readonly<Record<string, ReadWithStranger>> = {
  "Chromium's EventSource": (url) => browser.read(url),
  "the EventSource of npm": readWithNpm,
  "the EventSource of undici": readWithUndici,
  curl: readWithCurl,
};

/** Reads a turn of the assistant through a network that cuts where it is told to. */
async function readTurn(message: string, read: ReadWithStranger, cuts: readonly Cut[] = []) {
  const network: CuttingProxy = await createCuttingProxy(server.port, cuts);
  try {
    const turnId = await server.begin(message);
    const events = await read(`${network.url}${await server.ticketFor(turnId)}`);
    const asked = network.asked.map(({ lastEventId }) => lastEventId);
    await sleep(NO_MORE_MS);
    expect(network.asked).toHaveLength(asked.length);
    return { turnId, events, asked };
  } finally {
    await network.close();
  }
}

/** The frames of the turn, each once, by their names and with their cursors, and the sentinel. */
async function expectWhole(turnId: string, events: readonly DispatchedEvent[]): Promise<void> {
  const frames = await server.framesOf(turnId);
  expect(events.slice(0, -1).map(({ data }) => data)).toEqual(frames);
  for (const [index, { event, id, data }] of events.slice(0, -1).entries()) {
    expect({ event, id }).toEqual({ event: JSON.parse(data).event_type, id: `${turnId}.1.${index + 1}` });
  }
  // Whether an event without an id of its own has that of the one before it, strangers do not agree.
  expect(events.at(-1)).toMatchObject({ event: "message", data: "[DONE]" });
}

describe.concurrent.each(Object.keys(READERS))("%s", (name) => {
  const read = READERS[name] as ReadWithStranger;

  test("gets every frame by its name, in order, and stops by itself at the end [W-FR-9c] [W-FR-14] [D-2] [D-18]", async () => {
    const { turnId, events, asked } = await readTurn("call look_up first, then say 20 words every 20 ms", read);
    await expectWhole(turnId, events);
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["tool_call", "tool_completed", "text"]));
    expect(asked).toEqual([undefined, events.at(-2)?.id]);
  });

  test("goes on where a cut connection left it, with nothing lost and nothing doubled [G1] [G3] [W-FR-14]", async () => {
    const message = "call look_up first, then say 120 words every 20 ms";
    const { turnId, events, asked } = await readTurn(message, read, [
      { bytes: 2_000, restMs: TIME_TO_LOOK_MS },
      { bytes: 4_321 },
    ]);
    await expectWhole(turnId, events);
    // From the start, after each cut, and at the end, never from further back: what a cut took away in front of a reader's
    // eyes it asks for again.
    const places = asked.map((id) => Number(id?.split(".").at(-1) ?? 0));
    expect(places).toHaveLength(4);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.at(0)).toBe(0);
    expect(asked.at(-1)).toBe(events.at(-2)?.id);
  });

  test("is told of a turn that failed by a frame, not by silence, and stops [G1] [W-FR-7] [W-FR-9a]", async () => {
    const { turnId, events } = await readTurn("fail at once", read);
    await expectWhole(turnId, events);
    expect(JSON.parse(events.at(-2)?.data ?? "")).toMatchObject({ event_type: "error", is_final: true });
  });
});

test("a page that nobody let in reads nothing of a turn, and does not try again [D-18]", async () => {
  const network = await createCuttingProxy(server.port);
  try {
    const turnId = await server.begin("say 3 words");
    const url = `${network.url}${await server.ticketFor(turnId)}`;
    expect(await browser.read(url, { isLetIn: false })).toEqual([]);
    expect(network.asked).toHaveLength(1);
  } finally {
    await network.close();
  }
});

test("ten streams on one page, over HTTP/2, are read at once and each is whole [G2] [W-FR-14]", async () => {
  const front = await startReverseProxy("nginx", "nginx-http2.conf", server.port);
  try {
    const turnId = await server.begin("say 100 words every 20 ms");
    const tickets = await Promise.all(Array.from({ length: 10 }, () => server.ticketFor(turnId)));
    const readings = await browser.readAll(tickets.map((path) => `https://127.0.0.1:${front.port}${path}`));
    for (const events of readings) await expectWhole(turnId, events);
    const askedFor = () => front.accessLog.split("\n").filter((line) => line.includes("/stream"));
    await expect.poll(askedFor).toHaveLength(20);
    for (const line of askedFor()) expect(line).toMatch(/ HTTP\/2\.0" (?:200|204) /);
  } finally {
    await front.close();
  }
});
