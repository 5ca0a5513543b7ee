import { expect, test } from "vitest";
import { collect, STORY, STORY_TEXT, setUp } from "./testing/story.js";

/** A turn that has ended, and a client that comes for it afterwards. */
async function ended(fault?: Parameters<typeof setUp>[0]) {
  const { clock, server, client } = setUp(fault);
  server.begin();
  await clock.pass(1_000);
  return { clock, server, client };
}

test("the text of a turn that was read after a cursor is the whole answer, wherever the cursor stood [G3]", async () => {
  // Before the text, within it, at the end (204), and past what the server has (410).
  for (const after of [undefined, "turn-1.1.3", "turn-1.1.9", "turn-1.1.11", "turn-1.1.99"]) {
    const { clock, client } = await ended();
    expect(await clock.until(client.turn("turn-1", { after }).text), String(after)).toBe(STORY_TEXT);
  }
});

test("the state tells whether its items are the whole answer or the rest after a cursor [G3]", async () => {
  const { clock, client } = await ended();
  const places = [undefined, "0", "turn-1.1.0", "turn-1.1.9", "turn-1.1.11", "turn-1.1.99"];
  const states = [];
  for (const after of places) {
    const turn = client.turn("turn-1", { after });
    const before = turn.state.isWhole;
    await clock.until(turn.outcome);
    states.push([before, turn.state.isWhole, turn.state.text === STORY_TEXT]);
  }
  expect(states).toEqual([
    [true, true, true],
    [true, true, true],
    [true, true, true],
    [false, false, false],
    // The stored answer.
    [false, true, true],
    [false, true, true],
  ]);
});

test("the text of the rest is asked for once, and only when somebody looks; the state stays the rest", async () => {
  const { clock, server, client } = await ended();
  const turn = client.turn("turn-1", { after: "turn-1.1.9" });
  expect(await clock.until(collect(turn))).toHaveLength(STORY.length - 9);
  const before = server.seen.length;
  expect(turn.state).toMatchObject({ text: " — in\u2028Köln.", isWhole: false });
  expect(await clock.until(turn.text)).toBe(STORY_TEXT);
  expect((await turn.message)?.content_items).toHaveLength(1);
  expect(server.seen.slice(before)).toMatchObject([{ path: "/v1/turns/turn-1" }]);
  expect(turn.state).toMatchObject({ text: " — in\u2028Köln.", isWhole: false });
});

test("a turn that begins again from its first frame is whole again", async () => {
  const plan = [{ kind: "status", status: 410 } as const];
  const { clock, server, client } = setUp({
    script: STORY.map(([wait, frame]) => [wait * 20, frame] as const),
    fault: ({ path }) => (path.endsWith("/stream") ? plan.shift() : undefined),
  });
  server.begin();
  const turn = client.turn("turn-1", { after: "turn-1.1.3" });
  await clock.until(turn.outcome);
  expect(turn.state).toMatchObject({ text: STORY_TEXT, isWhole: true, resets: 1 });
});
