import type { AgentEvent } from "@framerail/protocol";
import { createFrameEncoder, createMessageAccumulator, createSseFraming, systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { createMemoryLog } from "../log/memory/memory-log.js";
import type { FrameRow } from "../log/segment.js";
import { copyFrames, countFrameBytes, rowOf } from "../log/segment.js";
import { TurnMessage } from "./turn-message.js";

const TURN = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11";
const CONVERSATION = "0a3f6f5f-4b0a-4c55-9d3e-5c1d8f0e7b11";

const CALL: AgentEvent = {
  type: "tool_call",
  tool_call_id: "c1",
  tool_name: "search",
  tool_type: "function",
  arguments: {},
  timestamp: 1,
};
const RESULT: AgentEvent = { type: "tool_result", tool_call_id: "c1", result: 1, is_error: false, duration_ms: 1 };

function open(isShown = true) {
  const ticks: (() => void)[] = [];
  const log = createMemoryLog({ nextTick: (flush) => void ticks.push(flush) });
  const appender = log.open({ orgId: "o", turnId: TURN, epoch: 1 }, { isStored: true });
  const encoder = createFrameEncoder({
    responseId: TURN,
    clock: systemClock,
    framing: createSseFraming({ idPrefix: `${TURN}.1.` }),
  });
  const message = new TurnMessage(
    createMessageAccumulator({ runId: TURN, conversationId: CONVERSATION, startedAt: 0 }),
    isShown,
  );
  const stored: FrameRow[] = [];
  let [seq, storedSeq] = [0, 0];
  async function* frames() {
    yield* stored;
    yield* [...appender.held(storedSeq), ...appender.unreleased()].map(rowOf);
  }
  const wholeUpTo = (lastSeq: number) => message.whole(frames(), lastSeq);
  const whole = () => wholeUpTo(seq);
  return {
    message,
    appender,
    tick: () => {
      for (const flush of ticks.splice(0)) flush();
    },
    say(chunk: string) {
      if (!isShown) message.say({ type: "text", content: chunk }, 1);
      seq += 1;
      appender.append({ seq, sse: encoder.encode("text", seq, { chunk }) });
    },
    keep: (event: AgentEvent) => message.add(event, seq, 1),
    /** What the log has goes to the store, as one run of bytes, and may leave memory. */
    store() {
      for (const segment of appender.held(storedSeq)) {
        const bytes = Buffer.alloc(countFrameBytes(segment));
        copyFrames(segment, bytes, 0);
        stored.push({ firstSeq: segment.firstSeq, parts: [{ bytes, start: 0, end: bytes.length }] });
        storedSeq = segment.lastSeq;
      }
      appender.stored(storedSeq);
    },
    forgetStored: () => stored.pop(),
    whole,
    wholeUpTo,
    async itemsAtEnd() {
      const items = (await whole()).items();
      return items.map((item) => ("content" in item ? item.content : item.type));
    },
  };
}

describe("the message of a turn", () => {
  test("has text and tools in the order in which they came, whether the log has the frames yet or not [P-33] [P-34]", async () => {
    const { keep, say, tick, itemsAtEnd } = open();
    say("One");
    tick();
    say(" two");
    keep(CALL);
    say("three");
    keep(RESULT);
    tick();
    say("four");
    tick();
    say(" five");
    keep(CALL);
    expect(await itemsAtEnd()).toEqual(["One two", "tool_call", "three", "tool_result", "four five", "tool_call"]);
  });

  test("has text once, though its frames were stored while it ran [C-36] [C-42]", async () => {
    const { appender, keep, say, tick, store, itemsAtEnd } = open();
    const lines = Array.from({ length: 4_000 }, (_, line) => `${line} `.padEnd(100, "."));
    for (const [index, line] of lines.entries()) {
      say(line);
      if (index % 100 === 99) tick();
      if (index === 999) keep(CALL);
      if (index % 2_000 === 1_999) store();
    }
    expect(appender.held(0)[0]?.firstSeq).toBeGreaterThan(1);
    keep(RESULT);
    const [before, after] = [lines.slice(0, 1_000).join(""), lines.slice(1_000).join("")];
    expect((await itemsAtEnd()).map((item) => item.length)).toEqual(
      [before, "tool_call", after, "tool_result"].map((item) => item.length),
    );
  });

  test("is not made where a frame of it is missing [G3] [G4]", async () => {
    const { say, tick, store, forgetStored, itemsAtEnd } = open();
    say("One");
    tick();
    store();
    say(" two");
    forgetStored();
    await expect(itemsAtEnd()).rejects.toThrow("frame 1 is not there");
    const short = open();
    short.say("One");
    await expect(short.wholeUpTo(2)).rejects.toThrow("frame 2 is not there");
  });

  test("has thoughts joined, unless something was said between [P-33]", async () => {
    const { keep, say, itemsAtEnd } = open();
    keep({ type: "reasoning", content: "why" });
    keep({ type: "reasoning", content: " not" });
    say("because");
    keep({ type: "reasoning", content: "so" });
    expect(await itemsAtEnd()).toEqual(["why not", "because", "so"]);
  });

  test("has what is kept inside, where policy shows no text [C-42]", async () => {
    const { keep, say, itemsAtEnd } = open(false);
    say("kept");
    say(" inside");
    keep({ type: "reasoning", content: "why" });
    expect(await itemsAtEnd()).toEqual(["kept inside", "why"]);
  });

  test("has a tool's arguments as they were when it was called [P-22] [C-36]", async () => {
    const { keep, say, whole } = open();
    say("One");
    const given = { near: "me" };
    keep({ ...CALL, arguments: given });
    given.near = "you";
    expect((await whole()).items()[1]).toMatchObject({ type: "tool_call", arguments: { near: "me" } });
  });

  test("refuses what cannot be kept when it comes, and not when the turn has to end [P-22] [G1]", async () => {
    const { keep, say, itemsAtEnd } = open();
    say("One");
    expect(() => keep({ ...CALL, tool_call_id: "" })).toThrow("cannot be kept");
    expect(await itemsAtEnd()).toEqual(["One"]);
  });
});
