import { expect, test } from "vitest";
import { unpackFrames } from "../../packages/framerail/dist/store/frame-segment.js";
import { endStatements } from "./bare-statements.js";
import { createEnd, createTurns, FRAME_BYTES, FRAMES_PER_TURN, type RunningTurn } from "./turn-ends.js";

test("the turn that is measured has the frames, items, calls and actions that the report says", async () => {
  const [turn] = createTurns(1) as [RunningTurn];
  const end = await createEnd(turn, 1);
  const frames = (await Promise.all(end.segments.map(unpackFrames))).flat();
  expect(frames).toHaveLength(FRAMES_PER_TURN);
  expect(new Set(frames.map(({ sse }) => Buffer.byteLength(sse)))).toEqual(new Set([FRAME_BYTES]));
  expect(end.terminal.seq).toBe(FRAMES_PER_TURN + 1);
  expect(end.message.content_items.map(({ type }) => type)).toEqual(["message", "tool_call", "message"]);
  expect([end.calls.length, end.audit.length]).toEqual([2, 3]);
});

test("the bare driver is given one statement a table, with every value of every row", async () => {
  const [turn] = createTurns(1) as [RunningTurn];
  const statements = endStatements(turn, await createEnd(turn, 1));
  expect(statements.map(({ text }) => /^(?:update|insert into) (\w+)/.exec(text)?.[1])).toEqual([
    "turns",
    "turn_frames",
    "messages",
    "llm_usage_events",
    "agent_audit_log",
  ]);
  for (const { text, values = [] } of statements) {
    expect(values).not.toContain(undefined);
    expect(new Set(text.match(/\$\d+/g)).size).toBe(values.length);
  }
});
