// What does one piece of an answer cost, from the author's call to bytes that could be sent?
// Measured: CPU per event, in turns of 1,000 pieces of 60 characters, opening a turn included; every variant warmed up and
// in a process of its own (own-process.ts says why), the text of all of them gathered, turned into bytes and counted by
// the same code (counted-text.ts). Not measured: sockets, storage, a model.
//   framerail               writer().text() inside a turn: ambient writer, check, policy, guard, encoder, SSE text
//   … with history          the same, and the message that history keeps is folded beside it, which the others do not do
//   AI SDK UI stream        writer.write({ type: "text-delta" }) → JSON → SSE text, by createUIMessageStream
//   … in async scope        the same, in a process that uses AsyncLocalStorage, as tracing, LangGraph and our writer do
//   LangGraph custom        config.writer(…) in a node → stream of mode "custom" → JSON → SSE text
//   ours, piece by piece    as the first, each piece turned into bytes by itself
//   AI SDK, piece by piece  likewise

import { AsyncLocalStorage } from "node:async_hooks";
import { createMessageAccumulator, systemClock } from "@framerail/protocol";
import { StateGraph } from "@langchain/langgraph";
import { createUIMessageStream, JsonToSseTransformStream } from "ai";
import { z } from "zod";
import { writer } from "../../packages/framerail/dist/agent/writer.js";
import { createPolicy } from "../../packages/framerail/dist/policy/create-policy.js";
import type { Tap } from "../../packages/framerail/dist/publish/publish-turn.js";
import { EMPTY_REGISTRY } from "../../packages/framerail/dist/registry/registry.js";
import type { Variant } from "../alternate.js";
import { alternate, printCase } from "../alternate.js";
import type { BenchRow } from "../bench-row.js";
import { CountedText, type Writing } from "./counted-text.js";
import { printLatencies } from "./latency.js";
import { openProcesses } from "./own-process.js";
import { CHUNK, playTurn } from "./play-turn.js";

const PIECES_PER_TURN = 1_000;
const ROUNDS = 9;
/** A round has to be long beside a slice of the scheduler, a collection, and what a process takes to be awake again. */
const ROUND_CPU_MS = 700;
const TURNS_PER_ROUND_MIN = 50;
/** As a server that has run for a while: by then the compiler is done with every variant. */
const WARM_UP_TURNS = 300;

const policy = createPolicy({ registry: EMPTY_REGISTRY, locale: "en", clock: systemClock });

async function playOurs(pieces: number, writing: Writing, taps: readonly Tap[] = []): Promise<number> {
  const { bytes } = await playTurn({
    policy,
    taps,
    writing,
    async run() {
      for (let piece = 0; piece < pieces; piece += 1) writer().text(CHUNK);
    },
  });
  return bytes;
}

function playOursWithHistory(pieces: number): Promise<number> {
  const history = createMessageAccumulator({ runId: "t", conversationId: "c", startedAt: 0 });
  return playOurs(pieces, "gathered", [{ take: (event, _emitter, at) => history.add(event, at) }]);
}

async function playUiStream(pieces: number, writing: Writing): Promise<number> {
  const stream = createUIMessageStream({
    execute({ writer: ui }) {
      ui.write({ type: "text-start", id: "1" });
      for (let piece = 0; piece < pieces; piece += 1) ui.write({ type: "text-delta", id: "1", delta: CHUNK });
      ui.write({ type: "text-end", id: "1" });
    },
  });
  const text = new CountedText(writing);
  for await (const sse of stream.pipeThrough(new JsonToSseTransformStream())) text.add(sse);
  return text.end();
}

const scope = new AsyncLocalStorage<string>();

const graph = new StateGraph(z.object({ pieces: z.number() }))
  .addNode("answer", (state, config) => {
    for (let piece = 0; piece < state.pieces; piece += 1) config.writer?.({ type: "text", chunk: CHUNK });
    return {};
  })
  .addEdge("__start__", "answer")
  .compile();

async function playGraph(pieces: number): Promise<number> {
  const text = new CountedText("gathered");
  for await (const event of await graph.stream({ pieces }, { streamMode: "custom" })) {
    text.add(`data: ${JSON.stringify(event)}\n\n`);
  }
  return text.end();
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
  inTurns("framerail", (pieces) => playOurs(pieces, "gathered")),
  inTurns("… with history", playOursWithHistory),
  inTurns("AI SDK UI stream", (pieces) => playUiStream(pieces, "gathered")),
  inTurns("… in async scope", (pieces) => scope.run("turn", () => playUiStream(pieces, "gathered"))),
  inTurns("LangGraph custom", playGraph),
  inTurns("ours, piece by piece", (pieces) => playOurs(pieces, "piece by piece")),
  inTurns("AI SDK, piece by piece", (pieces) => playUiStream(pieces, "piece by piece")),
];

export async function benchPublish(): Promise<BenchRow[]> {
  const name = `text of ${CHUNK.length} characters, ${PIECES_PER_TURN} a turn`;
  const processes = openProcesses();
  const measured = await alternate(VARIANTS, {
    rounds: ROUNDS,
    times: TURNS_PER_ROUND_MIN,
    roundCpuMs: ROUND_CPU_MS,
    framesPerTime: PIECES_PER_TURN,
    warmUpTimes: WARM_UP_TURNS,
    measure: processes.measure,
  }).finally(processes.close);
  printCase(name, measured);
  await printLatencies();
  return measured.map(({ name: variant, cpuNs, ratio }) => ({
    case: name,
    variant,
    cpuNsPerFrame: Math.round(cpuNs),
    ratio,
  }));
}
