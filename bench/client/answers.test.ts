import { createNdjsonDecoder, createSseDecoder, parseJson, readFrame, SSE_DONE } from "@framerail/protocol";
import { expect, test } from "vitest";
import { encodeAnswer } from "./answers.js";
import { CHUNK } from "./chunk.js";

const PIECES = 3;
const TYPES = ["response_id", "text", "text", "text", "completed"];

function typeOf(json: string): string {
  const reading = readFrame(parseJson(json));
  if (reading.kind !== "frame") throw new Error("no frame");
  if (reading.frame.event_type === "text") expect(reading.frame.chunk).toBe(CHUNK);
  return reading.frame.event_type;
}

test("the bench's answer on our wire is a whole turn, on either transport", async () => {
  const types: string[] = [];
  const sse = createSseDecoder({
    onEvent({ data }) {
      if (data !== SSE_DONE) types.push(typeOf(data));
    },
  });
  for (const event of await encodeAnswer("sse", PIECES)) sse.push(event);
  expect(sse.end().clean).toBe(true);
  expect(types).toEqual(TYPES);
  const lines: string[] = [];
  const ndjson = createNdjsonDecoder({ onLine: (line) => void lines.push(typeOf(line)) });
  for (const line of await encodeAnswer("ndjson", PIECES)) ndjson.push(line);
  expect(lines).toEqual(TYPES);
});

test("the bench's answer on the other wire carries the same pieces", async () => {
  const text = Buffer.concat([...(await encodeAnswer("ai-sdk", PIECES))]).toString("utf8");
  expect(text.split(`"delta":"${CHUNK}"`)).toHaveLength(PIECES + 1);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});
