import { describe, expect, test } from "vitest";
import { TURN_LENGTH_MAX } from "./limits.js";
import type { Fault } from "./testing/fake-server.js";
import { handClock } from "./testing/hand-clock.js";
import { collect, STORY_TEXT, setUp } from "./testing/story.js";

const timestamp = "2026-05-15T18:00:00.000Z";
const event = (seq: number, fields: object, turn = "t") =>
  `id: ${turn}.1.${seq}\ndata: ${JSON.stringify({ version: "0.5", timestamp, response_id: turn, seq, ...fields })}\n\n`;
const FIRST = event(1, { event_type: "response_id" });
const text = (seq: number, chunk: string, turn?: string) => event(seq, { event_type: "text", chunk }, turn);
const last = (seq: number) => event(seq, { event_type: "completed" });

/** A client of a server that answers with these bodies, one after the other. */
function answering(...bodies: readonly string[]) {
  const left = [...bodies];
  const cursors: (string | undefined)[] = [];
  const fetch = async (_url: string, init: RequestInit) => {
    cursors.push((init.headers as Record<string, string>)["last-event-id"]);
    return new Response(left.shift() ?? "", { headers: { "content-type": "text/event-stream" } });
  };
  return { cursors, ...setUp({ client: { fetch } }) };
}

describe("a stream", () => {
  test("that repeats what was seen is passed over, and is no cut [G3]", async () => {
    const { clock, client, reports } = answering(
      FIRST + FIRST + text(2, "a") + FIRST + text(2, "a") + text(3, "b") + last(4),
    );
    const turn = client.turn("t");
    expect(await clock.until(turn.text)).toBe("ab");
    expect((await collect(turn)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(reports).toEqual([]);
  });

  test("that has a frame of another turn is cut before it [G3]", async () => {
    const { clock, client, cursors, reports } = answering(FIRST + text(2, "stray", "other"), text(2, "a") + last(3));
    expect(await clock.until(client.turn("t").text)).toBe("a");
    expect(cursors).toEqual([undefined, "t.1.1"]);
    expect(reports).toMatchObject([{ kind: "cut", code: "PROTOCOL_VIOLATION" }, { kind: "resumed" }]);
  });

  test("that leaves a frame out is cut before the gap [G2]", async () => {
    const { clock, client, cursors } = answering(FIRST + text(3, "b"), text(2, "a") + text(3, "b") + last(4));
    expect(await clock.until(client.turn("t").text)).toBe("ab");
    expect(cursors).toEqual([undefined, "t.1.1"]);
  });

  test("that is damaged is cut, and its good part is kept", async () => {
    for (const damage of ["data: {\n\n", 'data: {"event_type":"text"}\n\n', "data: 7\n\n"]) {
      const { clock, client, cursors } = answering(
        FIRST + text(2, "a") + damage + text(3, "lost"),
        text(3, "b") + last(4),
      );
      expect(await clock.until(client.turn("t").text), damage).toBe("ab");
      expect(cursors).toEqual([undefined, "t.1.2"]);
    }
  });

  test("has a place for types it does not know, and shows none of them [W-FR-12, W-AC-7]", async () => {
    const { clock, client, reports } = answering(FIRST + event(2, { event_type: "hologram" }) + text(3, "a") + last(4));
    const turn = client.turn("t");
    expect((await clock.until(collect(turn))).map(({ seq }) => seq)).toEqual([1, 3, 4]);
    expect(reports).toEqual([]);
  });

  test("is not heard after its terminal", async () => {
    const { clock, client } = answering(FIRST + last(2) + text(3, "late") + event(4, { event_type: "cancelled" }));
    const turn = client.turn("t");
    expect((await clock.until(collect(turn))).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(await turn.outcome).toEqual({ kind: "completed", paused: false });
  });

  test("that says nothing but that it lives is left alone, by either transport [D-7]", async () => {
    for (const [transport, beat] of [
      ["sse", ":\n\n"],
      ["ndjson", "\n"],
    ] as const) {
      const type = transport === "sse" ? "text/event-stream" : "application/x-ndjson";
      const beats = handClock();
      const fetch = async () => {
        let told = 0;
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await new Promise<void>((resolve) => void beats.schedule(15_000, resolve));
            told += 1;
            const whole = FIRST + last(2);
            const end = transport === "sse" ? whole : whole.replace(/id:.*\ndata: |\n(?=\n)/g, "");
            controller.enqueue(new TextEncoder().encode(told < 20 ? beat : end));
          },
        });
        return new Response(body, { headers: { "content-type": type } });
      };
      const { client, reports } = setUp({ client: { fetch, transport, clock: beats } });
      expect(await beats.until(client.turn("t").outcome), transport).toMatchObject({ kind: "completed" });
      expect(reports).toEqual([]);
    }
  });

  test("is given back at its terminal, also by a fetch that knows no signals", async () => {
    let isOpen = true;
    const fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(FIRST + last(2))),
        cancel: () => {
          isOpen = false;
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const { clock, client } = setUp({ client: { fetch } });
    await clock.until(client.turn("t").outcome);
    expect(isOpen).toBe(false);
  });

  test("larger than a client can keep is a failure and not a crash [G8]", async () => {
    const chunk = "x".repeat(1_000_000);
    const count = Math.ceil(TURN_LENGTH_MAX / chunk.length) + 1;
    const { clock, session, timers } = setUp({
      script: [
        [0, { event_type: "response_id" }],
        ...Array.from({ length: count }, () => [0, { event_type: "text", chunk }] as const),
        [0, { event_type: "completed" }],
      ],
    });
    const turn = session.send("hello");
    await expect(clock.until(turn.outcome)).rejects.toMatchObject({ code: "INPUT_TOO_LARGE" });
    expect(timers.waiting).toBe(0);
  });
});

test("a server whose frames have ended and whose document has not is asked again until both agree", async () => {
  const running: Fault = { kind: "status", status: 503 };
  const late = [running, running];
  const { clock, server, client, reports } = setUp({
    fault: ({ path }) => (path === "/v1/turns/turn-1" ? late.shift() : undefined),
  });
  const { document } = server;
  let asked = 0;
  server.document = (turn) => {
    asked += 1;
    return asked === 1
      ? { ...document.call(server, turn), status: "running", outcome: null }
      : document.call(server, turn);
  };
  server.begin();
  await clock.pass(1_000);
  const turn = client.turn("turn-1", { after: "turn-1.1.11" });
  expect(await clock.until(turn.outcome)).toEqual({ kind: "completed", paused: false });
  expect(await turn.text).toBe(STORY_TEXT);
  expect(reports.filter(({ kind }) => kind === "reset")).toEqual([]);
  expect(turn.state.resets).toBe(0);
});
