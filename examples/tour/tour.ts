// One turn from an agent's events to a client's message, and three ways in which it cannot go wrong.
// Everything printed comes out of the package as it runs; the clock alone is made up, so that the output is the same
// every time and the README can show it.

import { pathToFileURL } from "node:url";
import type { AgentEvent, Clock, Frame } from "@framerail/protocol";
import {
  createFrameEncoder,
  createMessageAccumulator,
  createSseDecoder,
  createSseFraming,
  createTurnGuard,
  isFramerailError,
  parseJson,
  readFrame,
  SSE_DONE,
  SSE_DONE_FRAME,
  toFrame,
} from "@framerail/protocol";

const START = Date.UTC(2026, 4, 15, 18);
const TURN = "resp_abc";

/** What an agent writes: the inner vocabulary. Arguments and results are in it, and stay inside. */
const EVENTS: readonly AgentEvent[] = [
  { type: "init_stream", run_id: TURN, conversation_id: "conv_1", timestamp: START },
  { type: "thinking" },
  {
    type: "tool_call",
    tool_call_id: "call_1",
    tool_name: "search_offers",
    tool_type: "mcp",
    arguments: { near: "me" },
    timestamp: START,
  },
  { type: "tool_result", tool_call_id: "call_1", result: { offers: 2 }, is_error: false, duration_ms: 800 },
  { type: "tool_call_end", tool_call_id: "call_1", tool_name: "search_offers", tool_type: "mcp" },
  { type: "text", content: "Two offers " },
  { type: "text", content: "near you." },
  { type: "end_stream", status: "success", total_duration_ms: 2500 },
];

/** The server's half: event → frame → guard → bytes. Ends the turn itself when the agent does not. */
function playTurn(events: readonly AgentEvent[]): string {
  let now = START;
  const clock: Clock = { now: () => (now += 100), schedule: () => () => undefined };
  const encoder = createFrameEncoder({ responseId: TURN, clock });
  const frameSse = createSseFraming({ idPrefix: `${TURN}.1.` });
  const guard = createTurnGuard();
  let wire = "";
  let seq = 0;
  const send = (draft: ReturnType<typeof toFrame> & object) => {
    seq += 1;
    wire += frameSse(draft.type, seq, encoder.encode(draft.type, seq, draft.payload));
  };
  for (const event of events) {
    const draft = toFrame(event);
    if (draft === undefined) continue;
    const verdict = guard.admit(draft.type, draft.payload);
    if (verdict === "pass" || verdict === "end") send(draft);
  }
  const failed = { kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "protocol_violation" } as const;
  for (const draft of guard.end(failed)) send(draft);
  return wire + SSE_DONE_FRAME;
}

/** The client's half: bytes → frames, whatever way the network cuts them. */
function readTurn(wire: string, cutEvery: number): Frame[] {
  const frames: Frame[] = [];
  const decoder = createSseDecoder({
    onEvent({ data }) {
      if (data === SSE_DONE) return;
      const reading = readFrame(parseJson(data));
      if (reading.kind === "frame") frames.push(reading.frame);
    },
  });
  const bytes = new TextEncoder().encode(wire);
  for (let start = 0; start < bytes.length; start += cutEvery) decoder.push(bytes.subarray(start, start + cutEvery));
  decoder.end();
  return frames;
}

export function runTour(print: (line: string) => void): void {
  print("1. A turn, as a client receives it:\n");
  const wire = playTurn(EVENTS);
  print(wire);

  print("2. The same bytes, cut after every single one, give the same frames:\n");
  const frames = readTurn(wire, 1);
  print(`   ${frames.map(({ event_type, seq }) => `${seq}:${event_type}`).join("  ")}\n`);

  print("3. An agent that dies in the middle of a tool. The pair is closed and the turn ends, once:\n");
  for (const frame of readTurn(playTurn(EVENTS.slice(0, 3)), 16).slice(-2)) print(`   ${JSON.stringify(frame)}`);

  print("\n4. What history keeps of the first turn, tool input and output included:\n");
  const accumulator = createMessageAccumulator({ runId: TURN, conversationId: "conv_1", startedAt: START });
  for (const event of EVENTS) accumulator.add(event, START);
  for (const item of accumulator.items()) print(`   ${JSON.stringify(item)}`);

  print("\n5. Bad input gets the field and the rule:\n");
  try {
    readFrame({
      event_type: "usage",
      version: "0.5",
      timestamp: "2026-05-15T18:00:00.000Z",
      response_id: TURN,
      input_tokens: -1,
    });
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    print(`   ${error.code}: ${error.message}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runTour((line) => console.log(line));
