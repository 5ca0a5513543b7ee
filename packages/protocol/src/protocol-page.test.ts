// The examples of PROTOCOL.md, run: a page that shows a frame the code would not send is a bug of the page.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Frame } from "./index.js";
import {
  boundAgentEvent,
  createFrameEncoder,
  createSseDecoder,
  createSseFraming,
  createTurnGuard,
  encodeSse,
  parseJson,
  readFrame,
  readPipelineMessage,
  SSE_DONE,
  writePipelineMessage,
} from "./index.js";

const page = readFileSync(new URL("../../../PROTOCOL.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((match) => match[1] as string);

/** The frame as the encoder would make it at the time it shows. */
function encodeAgain({ event_type, version: _, timestamp, response_id, seq = 0, ...payload }: Frame): string {
  const clock = { now: () => Date.parse(timestamp), schedule: () => () => undefined };
  return createFrameEncoder({ responseId: response_id, clock }).encode(event_type, seq, payload as never);
}

function readKnown(json: string): Frame {
  const reading = readFrame(parseJson(json));
  if (reading.kind !== "frame") throw new Error(`${reading.event_type} is no frame of 0.5`);
  return reading.frame;
}

test("every SSE block of the protocol page is what the encoders write, byte for byte [W-EV-0] [W-GOAL-1]", () => {
  const found = blocks("sse");
  expect(found).toHaveLength(3);
  for (const block of found) {
    let written = "";
    const decoder = createSseDecoder({
      onEvent({ id, event, data }) {
        if (data === SSE_DONE) written += encodeSse({ data });
        else {
          const frame = readKnown(data);
          expect(encodeAgain(frame)).toBe(data);
          written += createSseFraming({ idPrefix: id.slice(0, -String(frame.seq).length) })(
            event,
            frame.seq as number,
            data,
          );
        }
      },
    });
    decoder.push(new TextEncoder().encode(block));
    expect(decoder.end().clean).toBe(true);
    expect(written).toBe(block);
  }
});

test("the worked example passes the guard in the order of the page and ends once [W-EV-18] [W-TST-1]", () => {
  const example = blocks("sse").find((block) => block.includes("data_loaded")) as string;
  const frames = [...example.matchAll(/^data: (\{.*)$/gm)].map((match) => readKnown(match[1] as string));
  expect(frames.map(({ event_type }) => event_type)).toEqual([
    "response_id",
    "thinking",
    "status",
    "tool_call",
    "tool_completed",
    "data_loading",
    "data_loaded",
    "text",
    "completed",
  ]);
  const guard = createTurnGuard();
  const verdicts = frames.map((frame) => guard.admit(frame.event_type, frame as never));
  expect(verdicts).toEqual([...Array<string>(8).fill("pass"), "end"]);
  expect(example.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
});

test("every JSON line of the protocol page is a frame, a pipeline message or an agent event [W-GOAL-1]", () => {
  const lines = blocks("json").flatMap((block) => block.trimEnd().split("\n"));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const value = parseJson(line) as { event_type?: string; agent_kind?: string };
    if (value.event_type !== undefined) expect(encodeAgain(readKnown(line))).toBe(line);
    else if (value.agent_kind !== undefined) expect(boundAgentEvent(value as never)).toEqual([value]);
    else expect(writePipelineMessage(readPipelineMessage(value, { mode: "strict" }))).toBe(line);
  }
});
