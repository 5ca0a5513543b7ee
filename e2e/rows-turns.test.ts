import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginTurn, call, open, openSession, readBody } from "./harness/caller.js";
import { consumeAs04, consumeAs05 } from "./rows/clients.js";
import type { ShopProgram, WireFrame } from "./rows/shop-program.js";
import { startShop } from "./rows/shop-program.js";

/** A backend that takes its time, and knows whether its answers were taken. */
const carried = { asked: 0, answered: 0, hungUp: 0 };
const BACKEND_MS = 600;
const backend = createServer((_, response) => {
  carried.asked += 1;
  response.on("close", () => {
    if (response.writableFinished) carried.answered += 1;
    else carried.hungUp += 1;
  });
  const answer = () => void response.writeHead(200, { "content-type": "application/json" }).end(RESULT);
  setTimeout(answer, BACKEND_MS);
});
const RESULT = '{"weight":"C4NARY-result"}';

let shop: ShopProgram;
beforeAll(async () => {
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  shop = await startShop({ BACKEND_URL: `http://127.0.0.1:${(backend.address() as AddressInfo).port}` });
}, 120_000);
afterAll(async () => {
  await shop?.close();
  backend.closeAllConnections();
  backend.close();
});

const typesOf = (frames: readonly WireFrame[]) => frames.map(({ event_type }) => event_type);
const ofType = (frames: readonly WireFrame[], type: string) => frames.filter(({ event_type }) => event_type === type);
const ITEMS = [
  { id: "OFF_1", title: "Two for one on roasted coffee" },
  { id: "OFF_2", title: "A free croissant with any breakfast" },
];

describe("a turn of the shop", () => {
  test("is the worked example of the protocol, every frame by the published schema, and its status in the reader's language [W-AC-1] [W-FR-1] [W-FR-2] [W-FR-3b] [W-TST-2]", async () => {
    const told = await shop.tell("shop", "coffee", { "accept-language": "en" });
    expect(typesOf(told.frames).filter((type, at, all) => type !== "text" || all[at - 1] !== "text")).toEqual([
      ...["response_id", "thinking", "status", "tool_call", "tool_completed"],
      ...["data_loading", "data_loaded", "text", "usage", "completed"],
    ]);
    for (const [index, frame] of told.frames.entries()) {
      expect(frame).toMatchObject({ version: "0.5", response_id: told.turnId, seq: index + 1 });
      expect(new Date(frame.timestamp).toISOString()).toBe(frame.timestamp);
    }
    const statusIn = async (language: string) =>
      ofType((await shop.tell("shop", "coffee", { "accept-language": language })).frames, "status");
    expect(ofType(told.frames, "status")).toMatchObject([
      { data: { event_id: "searching_offers", message: "Searching offers…" } },
    ]);
    expect(await statusIn("de-AT")).toMatchObject([{ data: { message: "Angebote werden gesucht …" } }]);
    expect(await statusIn("ja;q=0.9, xx")).toMatchObject([{ data: { message: "お得な情報を検索しています…" } }]);
  });

  test("shows components as a placeholder and its payload, and closes every tool it opened before its end [W-AC-8] [W-AC-9] [W-FR-15] [W-FR-16]", async () => {
    const { frames } = await shop.tell("assistant", "coffee");
    const [loading] = ofType(frames, "data_loading");
    const [loaded] = ofType(frames, "data_loaded");
    expect(loaded?.data).toEqual({ ...(loading?.data as object), items: ITEMS });
    expect(frames.indexOf(loading as WireFrame)).toBeLessThan(frames.indexOf(loaded as WireFrame));
    const idsOf = (type: string) => ofType(frames, type).map(({ tool_call }) => JSON.stringify(tool_call));
    expect(idsOf("tool_call")).toHaveLength(5);
    expect(idsOf("tool_completed").sort()).toEqual(idsOf("tool_call").sort());
    expect(typesOf(frames).at(-1)).toBe("completed");
  });

  test("carries the payload of an envelope and nothing else of it, on the wire, in the history and in the store [W-FR-10] [W-AC-8] [W-ES-3]", async () => {
    const { frames, body, turnId } = await shop.tell("florist", "roses");
    expect(ofType(frames, "data_loaded")).toMatchObject([
      { data: { items: [{ id: "rose", petals: 12 }, { id: "tulip" }] } },
    ]);
    const kept = await Promise.all([
      call(`${shop.url()}/v1/turns/${turnId}`, { headers: shop.headers }).then(({ text }) => text),
      call(`${shop.url()}/v1/turns/${turnId}/stream`, { headers: shop.headers }).then(({ text }) => text),
      shop.sql("select content_items from messages").then(JSON.stringify),
    ]);
    const journal = JSON.stringify(await shop.sql("select event from turn_events"));
    for (const text of [body, ...kept]) expect(text).toContain("tulip");
    for (const text of [body, ...kept, journal]) expect(text).not.toMatch(/C4NARY|cache_meta|"principal"|1\.4242/);
  });
});

describe("a failure", () => {
  test("of the only one asked is final, names nothing from inside, and nothing follows it [W-AC-11] [W-FR-7] [W-FR-17] [W-TST-4]", async () => {
    const { frames, body } = await shop.tell("loner", "anything");
    expect(frames.at(-1)).toMatchObject({
      event_type: "error",
      error: { code: "SUB_AGENT_FAILED", sub_agent_id: "breaker" },
      is_final: true,
    });
    expect(ofType(frames, "error")).toHaveLength(1);
    expect(body.endsWith("}\n\ndata: [DONE]\n\n")).toBe(true);
    expect(body).not.toMatch(/C4NARY|internal|ECONNREFUSED|RangeError|\/srv/);
  });

  test("of a backend is told once beside the answer, in words for people and a code for machines, and the turn completes [W-AC-3] [W-AC-11] [W-FR-8] [W-FR-17]", async () => {
    const { frames, body } = await shop.tell("clerk", "roses");
    expect(ofType(frames, "error")).toMatchObject([
      {
        error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "flowers", reason: "upstream_timeout" },
        is_final: false,
      },
    ]);
    const said = ofType(frames, "text").map(({ chunk }) => chunk);
    expect(said.join("")).toBe("I could not reach the flowers just now.");
    expect(ofType(frames, "completed")).toHaveLength(1);
    expect(typesOf(frames).at(-1)).toBe("completed");
    for (const { event_type, ...frame } of frames) expect("is_final" in frame).toBe(event_type === "error");
    expect(JSON.stringify(ofType(frames, "error"))).not.toContain("could not");
    expect(body).not.toMatch(/C4NARY|1\.4242/);
  });

  test("of some among several is told once with each of them, and the turn completes [W-TST-4] [W-FR-17]", async () => {
    const { frames } = await shop.tell("crowd", "points");
    expect(ofType(frames, "error")).toMatchObject([
      {
        error: { code: "PARTIAL_FAN_OUT", failed: [{ code: "SUB_AGENT_FAILED", sub_agent_id: "breaker" }] },
        is_final: false,
      },
    ]);
    expect(ofType(frames, "completed")).toHaveLength(1);
  });

  test("that is not final ends a stream for a client of 0.4 and not for one of 0.5, and neither stumbles over what it does not know or needs the sentinel [W-AC-12] [W-AC-7] [W-FR-9c] [W-TST-2] [W-TST-3]", async () => {
    const { body } = await shop.tell("clerk", "roses");
    expect(consumeAs04(body)).toMatchObject({ closedBy: "error", text: "" });
    expect(consumeAs05(body)).toMatchObject({
      closedBy: "completed",
      text: "I could not reach the flowers just now.",
      ignored: [],
    });
    const { body: example } = await shop.tell("shop", "coffee");
    const [old, young] = [consumeAs04(example), consumeAs05(example)];
    expect(consumeAs05(example.replace("data: [DONE]\n\n", ""))).toEqual(young);
    expect(old).toMatchObject({ closedBy: "completed", ignored: ["status"], statuses: [] });
    expect(young).toMatchObject({ closedBy: "completed", ignored: [], statuses: ["Searching offers…"] });
    expect(old.text).toBe("Here are two offers near you.");
    expect(young.text).toBe(old.text);
  });
});

describe("the end of a turn", () => {
  test("is one of three on the wire, and the store tells them apart [W-CAN-4] [W-MET-4] [W-MET-5] [W-MET-10]", async () => {
    const before = await shop.scrape();
    const completed = await shop.tell("clerk", "roses");
    const failed = await shop.tell("loner", "anything");
    const session = await openSession(shop.url(), "porter", { headers: shop.headers });
    const cancelled = await beginTurn(shop.url(), session, { message: "carry" }, { headers: shop.headers });
    await call(`${shop.url()}/v1/turns/${cancelled}/cancel`, { method: "POST", headers: shop.headers });
    const stored = await shop.sql(
      `select id, outcome->>'kind' as kind, convert_from(terminal, 'utf8') as terminal from turns
         where id in ('${completed.turnId}', '${failed.turnId}', '${cancelled}')`,
    );
    const kinds = Object.fromEntries(stored.map(({ id, kind }) => [id, kind]));
    expect(kinds).toEqual({ [completed.turnId]: "completed", [failed.turnId]: "failed", [cancelled]: "cancelled" });
    const eventOf = (text: unknown) => /event: (\w+)/.exec(String(text))?.[1];
    expect(stored.map(({ terminal }) => eventOf(terminal)).sort()).toEqual(["cancelled", "completed", "error"]);
    const after = await shop.scrape();
    const grew = (name: string, labels: Record<string, string>) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    for (const type of ["completed", "error", "cancelled"])
      expect(grew("stream_terminal_frame_emitted_total", { type }), type).toBe(1);
    for (const code of ["CCS_ENVELOPE_ERROR", "SUB_AGENT_FAILED"])
      expect(grew("stream_error_frame_emitted_total", { code }), code).toBe(1);
    expect(grew("stream_turn_cancelled_total", { trigger: "REQUEST_CANCELLED" })).toBe(1);
  });

  test("that comes from a caller who left lets the backend finish, uses nothing of its answer and asks it no more [W-AC-6] [W-CAN-1] [W-CAN-3] [C-22]", async () => {
    // Another turn's call may still be on its way.
    await expect.poll(() => carried.asked - carried.answered - carried.hungUp, { timeout: 10_000 }).toBe(0);
    const before = { ...carried };
    const session = await openSession(shop.url(), "porter", { headers: shop.headers });
    const leaving = new AbortController();
    const response = await open(`${shop.url()}/v1/sessions/${session}/turns`, {
      method: "POST",
      headers: shop.headers,
      body: { message: "carry", on_disconnect: { action: "cancel", grace_ms: 0 } },
      signal: leaving.signal,
    });
    const body = readBody(response);
    await expect.poll(() => carried.asked, { timeout: 10_000 }).toBe(before.asked + 1);
    leaving.abort();
    const turn = `${shop.url()}/v1/turns/${response.headers["framerail-turn-id"]}`;
    const read = async () => (await call(turn, { headers: shop.headers })).json;
    await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe("ended");
    expect((await read()).outcome).toMatchObject({ kind: "cancelled", code: "REQUEST_CANCELLED" });
    await expect.poll(() => carried.answered, { timeout: 10_000 }).toBe(before.answered + 1);
    await sleep(300);
    expect(carried).toEqual({ asked: before.asked + 1, answered: before.answered + 1, hungUp: before.hungUp });
    expect((await body).complete).toBe(false);
    const [message] = await shop.sql(
      `select content_items from messages where role = 'assistant' and run_id = '${(await read()).turn_id}'`,
    );
    expect(JSON.stringify(message)).toContain("One moment. ");
    expect(JSON.stringify(message)).not.toContain("C4NARY-result");
    const replay = await call(`${turn}/stream`, { headers: shop.headers });
    expect(replay.text.match(/^event: (?:cancelled|completed|error)$/gm)).toEqual(["event: cancelled"]);
  });
});
