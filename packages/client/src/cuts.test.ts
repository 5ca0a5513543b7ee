import { describe, expect, test } from "vitest";
import { collect, STORY, STORY_TEXT, setUp } from "./testing/story.js";

/** The bytes of the whole story, on one connection. */
async function wholeLength(transport: "sse" | "ndjson"): Promise<number> {
  const { clock, server } = setUp();
  const headers = { accept: transport === "sse" ? "text/event-stream" : "application/x-ndjson" };
  server.begin();
  await clock.pass(1_000);
  const response = await server.fetch("http://fake/v1/turns/turn-1/stream", { headers });
  return (await response.arrayBuffer()).byteLength;
}

/** Every so many bytes; all of them in the long run and, on one transport, always. */
const STEP = process.env.FRAMERAIL_LONG === undefined ? 3 : 1;

describe.each(["sse", "ndjson"] as const)("a stream of %s that is cut", (transport) => {
  test.each(["break", "close"] as const)(
    "after any byte (%s) is read on without a frame lost or doubled [G1, G3, D-7]",
    async (kind) => {
      const length = await wholeLength(transport);
      expect(length).toBeGreaterThan(1_500);
      const step = transport === "sse" && kind === "break" ? 1 : STEP;
      for (let bytes = 0; bytes <= length; bytes += step) {
        let cuts = 1;
        const { clock, server, session, timers } = setUp({
          // All at once: a cut is about bytes, not about time.
          script: STORY.map(([, frame]) => [0, frame] as const),
          client: { transport },
          fault: ({ path }) => (path.endsWith("/turns") && cuts-- > 0 ? { kind, bytes } : undefined),
        });
        const turn = session.send("hello");
        const frames = await clock.until(collect(turn));
        const expected = server.turns[0]?.frames.map((text) => JSON.parse(text) as unknown);
        expect(frames, `${kind} after ${bytes}`).toEqual(expected);
        expect([await turn.text, server.turns.length, timers.waiting, server.open], `${kind} after ${bytes}`).toEqual([
          STORY_TEXT,
          1,
          0,
          0,
        ]);
      }
    },
  );
});
