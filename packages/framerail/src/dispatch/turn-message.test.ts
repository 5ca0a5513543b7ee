import type { AgentEvent } from "@framerail/protocol";
import { createFrameEncoder, createMessageAccumulator, createSseFraming, systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { createMemoryLog } from "../log/memory/memory-log.js";
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

function open() {
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
    appender,
  );
  let seq = 0;
  return {
    message,
    appender,
    tick: () => {
      for (const flush of ticks.splice(0)) flush();
    },
    say(chunk: string) {
      message.goesOut();
      seq += 1;
      appender.append({ seq, sse: encoder.encode("text", seq, { chunk }) });
    },
    itemsAtEnd() {
      message.read([...appender.held(0), ...appender.unreleased()]);
      const items = message.whole().items();
      return items.map((item) => (item.type === "message" ? item.content : item.type));
    },
  };
}

describe("the message of a turn that runs", () => {
  test("has text and tools in the order in which they came, whether the log has the frames yet or not [P-33] [P-34]", () => {
    const { message, say, tick, itemsAtEnd } = open();
    say("One");
    tick();
    say(" two");
    message.add(CALL, 1);
    say("three");
    message.add(RESULT, 2);
    tick();
    say("four");
    tick();
    say(" five");
    expect(itemsAtEnd()).toEqual(["One two", "tool_call", "three", "tool_result", "four five"]);
  });

  test("has text once, though its frames were stored while it ran [C-36] [C-42]", () => {
    const { message, appender, say, tick, itemsAtEnd } = open();
    const lines = Array.from({ length: 4_000 }, (_, line) => `${line} `.padEnd(100, "."));
    for (const [index, line] of lines.entries()) {
      say(line);
      if (index % 100 === 99) tick();
      if (index === 1_999) message.read(appender.held(0));
      // The log lets go of it.
      if (index === 2_999) appender.stored(2_000);
    }
    expect(appender.held(0)[0]?.firstSeq).toBeGreaterThan(1);
    message.add(CALL, 1);
    expect(itemsAtEnd()).toEqual([lines.join(""), "tool_call"]);
  });

  test("has what is kept inside between what is shown, in its order [C-42]", () => {
    const { message, say, itemsAtEnd } = open();
    say("shown");
    message.add({ type: "text", content: " kept inside" }, 1);
    message.add({ type: "reasoning", content: "why" }, 2);
    message.add({ type: "reasoning", content: " not" }, 2);
    say("shown again");
    expect(itemsAtEnd()).toEqual(["shown kept inside", "reasoning", "shown again"]);
  });
});
