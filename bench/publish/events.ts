// What does one piece of an answer cost, from the author's call to bytes that could be sent?
// Measured: CPU per event in this process, in turns of 1,000 pieces of 60 characters, opening a turn included. Not measured:
// sockets, storage, a model.
//   framerail        writer().text() inside a turn: ambient writer, check, policy, guard, encoder, SSE text
//   … with history   the same, and the message that history keeps is folded beside it, which the others do not do
//   AI SDK UI stream writer.write({ type: "text-delta" }) → JSON → SSE text, by createUIMessageStream
//   LangGraph custom config.writer(…) in a node → stream of mode "custom" → JSON → SSE text

import { createMessageAccumulator, systemClock } from "@framerail/protocol";
import { StateGraph } from "@langchain/langgraph";
import { createUIMessageStream, JsonToSseTransformStream } from "ai";
import { z } from "zod";
import { writer } from "../../packages/framerail/dist/agent/writer.js";
import { runTurn } from "../../packages/framerail/dist/dispatch/run-turn.js";
import { createPolicy } from "../../packages/framerail/dist/policy/create-policy.js";
import { EMPTY_REGISTRY } from "../../packages/framerail/dist/registry/registry.js";
import { agentStep } from "../../packages/framerail/dist/worker/run-agent.js";
import type { Variant } from "../alternate.js";
import { alternate, printCase } from "../alternate.js";
import type { BenchRow } from "../bench-row.js";

const CHUNK = "Here are three offers near you that match what you asked for";
const PIECES_PER_TURN = 1_000;
const ROUNDS = 21;
const BUFFER = Buffer.allocUnsafe(1 << 16);

const policy = createPolicy({ registry: EMPTY_REGISTRY, locale: "en", clock: systemClock });

async function playOurs(pieces: number, withHistory: boolean): Promise<number> {
  let bytes = 0;
  const history = createMessageAccumulator({ runId: "t", conversationId: "c", startedAt: 0 });
  const agent = {
    manifest: { id: "assistant", emitters: [] },
    async run() {
      for (let piece = 0; piece < pieces; piece += 1) writer().text(CHUNK);
      return { kind: "completed" as const };
    },
  };
  const input = { turn_id: "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11", conversation_id: "c", message: "", history: [] };
  await runTurn({
    step: agentStep(agent, input, { tenant_id: "t", user_id: "u" }),
    turnId: input.turn_id,
    conversationId: input.conversation_id,
    epoch: 1,
    policy,
    clock: systemClock,
    taps: withHistory ? [(event) => history.add(event, 0)] : [],
    sink: {
      backlogBytes: 0,
      ready: () => Promise.resolve(),
      append({ sse }) {
        bytes += BUFFER.write(sse);
      },
    },
  }).ended;
  return bytes;
}

async function playUiStream(pieces: number): Promise<number> {
  const stream = createUIMessageStream({
    execute({ writer: ui }) {
      ui.write({ type: "text-start", id: "1" });
      for (let piece = 0; piece < pieces; piece += 1) ui.write({ type: "text-delta", id: "1", delta: CHUNK });
      ui.write({ type: "text-end", id: "1" });
    },
  });
  let bytes = 0;
  for await (const sse of stream.pipeThrough(new JsonToSseTransformStream())) bytes += BUFFER.write(sse);
  return bytes;
}

const graph = new StateGraph(z.object({ pieces: z.number() }))
  .addNode("answer", (state, config) => {
    for (let piece = 0; piece < state.pieces; piece += 1) config.writer?.({ type: "text", chunk: CHUNK });
    return {};
  })
  .addEdge("__start__", "answer")
  .compile();

async function playGraph(pieces: number): Promise<number> {
  let bytes = 0;
  for await (const event of await graph.stream({ pieces }, { streamMode: "custom" })) {
    bytes += BUFFER.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  return bytes;
}

const inTurns = (name: string, play: (pieces: number) => Promise<number>): Variant => ({
  name,
  async run(times) {
    let bytes = 0;
    for (let turn = 0; turn < times; turn += 1) bytes += await play(PIECES_PER_TURN);
    return bytes;
  },
});

export const VARIANTS: readonly Variant[] = [
  inTurns("framerail", (pieces) => playOurs(pieces, false)),
  inTurns("… with history", (pieces) => playOurs(pieces, true)),
  inTurns("AI SDK UI stream", playUiStream),
  inTurns("LangGraph custom", playGraph),
];

export async function benchPublish(): Promise<BenchRow[]> {
  const name = `text of ${CHUNK.length} characters, ${PIECES_PER_TURN} a turn`;
  const measured = await alternate(VARIANTS, { rounds: ROUNDS, times: 3, framesPerTime: PIECES_PER_TURN });
  printCase(name, measured);
  return measured.map(({ name: variant, cpuNs, ratio }) => ({
    case: name,
    variant,
    cpuNsPerFrame: Math.round(cpuNs),
    ratio,
  }));
}
