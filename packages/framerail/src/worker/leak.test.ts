// One table over the whole path, agent → writer → policy → publish → bytes: each row puts secrets into one place where
// they are found in real turns, and the same judge reads every byte of the turn (testing/canaries.ts). One file, because
// the list is the point: what is not in it is not looked at. `witness` is what the client does get in that turn.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { FramerailError } from "@framerail/protocol";
import { AIMessage } from "@langchain/core/messages";
import { tool as graphTool } from "@langchain/core/tools";
import { interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { test } from "vitest";
import { z } from "zod";
import type { RunContext } from "../agent/agent.js";
import type { ModelAgentOptions } from "../agent/define-agent.js";
import { defineAgent } from "../agent/define-agent.js";
import { chunk, startFakeOpenAi } from "../agent/model/testing/fake-openai.js";
import { oddModel } from "../agent/model/testing/odd-model.js";
import { defineSubAgent } from "../agent/sub-agent.js";
import { envelope, says, tool } from "../agent/testing/scripted.js";
import { defineTool } from "../agent/tool/define-tool.js";
import { defineRenderTool } from "../agent/tool/render-tool.js";
import { fromLangGraph } from "../backend/langgraph/from-lang-graph.js";
import { callPieces, offerGraph } from "../backend/langgraph/testing/offer-graph.js";
import type { Node } from "../backend/langgraph/testing/play-graph.js";
import { graphOf } from "../backend/langgraph/testing/play-graph.js";
import { ScriptedChatModel } from "../backend/langgraph/testing/scripted-chat-model.js";
import type { Call } from "../backend/upstream/testing/fake-upstream.js";
import { answerSse, SSE_TYPE, sse, startFakeUpstream } from "../backend/upstream/testing/fake-upstream.js";
import { upstreamAgent } from "../backend/upstream/upstream-agent.js";
import { agentOf, tick } from "../dispatch/testing/turn-bench.js";
import type { Canaries } from "./testing/canaries.js";
import { createCanaries, leakyError } from "./testing/canaries.js";

interface Row {
  readonly from: string;
  readonly witness: RegExp;
  play(canaries: Canaries): unknown;
}

const FAILED = /"error":\{"code":"INTERNAL_ERROR"\},"is_final":true/;
const COMPLETED = /\{"event_type":"completed"\}\]$/;
const ANSWERED = /"event_type":"tool_completed".*"chunk":"Sorry\.".*\{"event_type":"completed"\}\]$/;
const SHOWN = /"items":\[\{"id":"OFF_1"\}\].*\{"event_type":"completed"\}\]$/;
const ENVELOPE_FAILED = /"code":"CCS_ENVELOPE_ERROR","enricher_id":"offers","reason":"upstream_unavailable"/;

/** A turn of free-form code. */
const free = (body: (context: RunContext, canaries: Canaries) => unknown) => (canaries: Canaries) =>
  void canaries.start(agentOf(async (context) => void (await body(context, canaries))));

const assistant = (options: Partial<ModelAgentOptions>, { report }: Canaries) =>
  defineAgent({ id: "assistant", model: says({ text: "Sorry." }), report, ...options });

const calls = (name: string, args: { readonly [name: string]: string } = {}) =>
  says({ call: 1, tool_calls: [{ name, arguments: args }] }, { call: 2, text: "Sorry." });

/** A turn of a model that calls one tool, then says that it is sorry. */
const calling = (run: (canaries: Canaries) => unknown) => (canaries: Canaries) =>
  void canaries.start(assistant({ model: calls("find"), tools: [tool("find", () => run(canaries))] }, canaries));

/** A turn whose one offer comes in an envelope, and is shown. */
const showing = (fields: (canaries: Canaries) => object) => (canaries: Canaries) => {
  const render = defineRenderTool({
    name: "render_offers",
    description: "Shows offers",
    input: z.object({}),
    dataType: "offer_list",
    shape: "collection",
    key: () => [{ id: "OFF_1" }],
    load: () => envelope({ payload: [{ id: "OFF_1" }], ...fields(canaries) }),
  });
  void canaries.start(assistant({ model: calls("render_offers"), tools: [render] }, canaries));
};

const brokenModel = (canaries: Canaries, id = "broken") => ({
  ...oddModel({ parts: [], id }),
  doStream: () => Promise.reject(leakyError(canaries)),
});

const subAgent = (id: string, model: ModelAgentOptions["model"], onCancel: () => void = () => undefined) =>
  defineSubAgent({ id, model: model as ReturnType<typeof says>, onCancel });

const asking = (...names: string[]) =>
  says({ call: 1, tool_calls: names.map((name) => ({ name, arguments: { task: "x" } })) }, { call: 2, text: "Sorry." });

const composing = (push: (piece: string) => string, flush: () => string) => (canaries: Canaries) =>
  canaries.start(assistant({ compose: () => ({ push, flush }) }, canaries));

const node = (body: (canaries: Canaries) => Node) => (canaries: Canaries) =>
  void canaries.start(fromLangGraph(graphOf(body(canaries)), { id: "rewards" }));

/** A turn of a service that answers so; it is there until the turn has ended. */
const service = (answer: (canaries: Canaries) => (call: Call) => void) => async (canaries: Canaries) => {
  await using upstream = await startFakeUpstream(answer(canaries));
  await canaries.start(upstreamAgent({ id: "shop", url: upstream.url })).turn.ended;
};

const AGENTS: Row[] = [
  {
    from: "an exception of free-form code",
    witness: FAILED,
    play: free((_, canaries) => Promise.reject(leakyError(canaries))),
  },
  {
    from: "something thrown that is no error",
    witness: FAILED,
    play: free((_, { secret }) => Promise.reject(`password=${secret("thrown")}` as unknown as Error)),
  },
  {
    from: "an error of ours with words of others",
    witness: /"code":"RATE_LIMIT_ERROR"/,
    play: free((_, canaries) => {
      throw new FramerailError("RATE_LIMITED", canaries.secret("words"), { cause: leakyError(canaries) });
    }),
  },
  {
    from: "an event that is refused",
    witness: FAILED,
    play: free(({ writer }, { dropped }) =>
      writer.write({ type: "text", content: { a: dropped("content") } } as never),
    ),
  },
  {
    from: "an event out of order",
    witness: FAILED,
    play: free(({ writer }, { secret }) =>
      writer.toolCallEnd({ tool_call_id: secret("id"), tool_name: secret("name"), tool_type: secret("type") }),
    ),
  },
  {
    from: "what is written after a cancel",
    witness: /"code":"REQUEST_CANCELLED"/,
    async play({ start, dropped }) {
      const word = dropped("late");
      const { turn } = start(agentOf(async ({ writer }) => void (await tick().then(() => writer.text(word)))));
      turn.cancel();
      await turn.ended;
    },
  },
  {
    from: "a tap that throws",
    witness: COMPLETED,
    play(canaries) {
      const error = leakyError(canaries);
      const take = () => {
        throw error;
      };
      canaries.start(
        agentOf(async ({ writer }) => writer.text("x")),
        { taps: [{ take }] },
      );
    },
  },
  {
    from: "events that stay inside",
    witness: COMPLETED,
    play: free(({ writer }, { secret }) => {
      writer.log("error", `refused by db.${secret("log")}.internal`);
      writer.write({ type: "support_content", content: { draft: secret("support") } });
      writer.write({ type: "node_enter", node_id: secret("node"), node_type: secret("node_type"), timestamp: 1 });
      writer.write({ type: "node_exit", node_id: secret("node"), duration_ms: 1 });
      const tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 };
      writer.write({ type: "metrics", model: secret("model"), tokens });
    }),
  },
  {
    from: "status ids that nobody registered, and values that no sentence names",
    witness: /"message":"Searching offers…".*"message":"One moment…".*\{"event_type":"completed"\}\]$/,
    play: free(({ writer }, { secret }) => {
      writer.status(secret("unregistered"), { n: secret("value") });
      writer.status("searching_offers", { [secret("key")]: secret("unnamed") });
      writer.status("comparing_prices", { stores: secret("count") });
    }),
  },
  {
    from: "a compose hook that throws at a piece, and one that throws at the end",
    witness: FAILED,
    play(canaries) {
      const error = leakyError(canaries);
      const fail = () => {
        throw error;
      };
      composing(fail, () => "")(canaries);
      composing((piece) => piece, fail)(canaries);
      canaries.start(assistant({ compose: fail }, canaries));
    },
  },
];

const MODELS: Row[] = [
  {
    from: "a model that throws",
    witness: FAILED,
    play: (canaries) => canaries.start(assistant({ model: brokenModel(canaries) }, canaries)),
  },
  {
    from: "a provider's 500, in its body and its headers",
    witness: FAILED,
    async play(canaries) {
      const { secret } = canaries;
      const body = { error: { message: `no host ${secret("body")}.internal`, path: `/srv/${secret("path")}/gpu.py` } };
      await using upstream = await startFakeUpstream(({ response }) => {
        response.writeHead(500, { "content-type": "application/json", "x-served-by": secret("header") });
        response.end(JSON.stringify(body));
      });
      const provider = createOpenAICompatible({ name: "fake", baseURL: upstream.url, apiKey: "sk-very-secret" });
      await canaries.start(assistant({ model: provider.chatModel(secret("model")) }, canaries)).turn.ended;
    },
  },
  {
    from: "a provider's rate limit, and an error in the middle of its stream",
    witness: /"error":\{"code":"(?:RATE_LIMIT_ERROR|INTERNAL_ERROR)"\},"is_final":true/,
    async play(canaries) {
      const fake = await startFakeOpenAi();
      const message = `quota of ${canaries.secret("organisation")}, see https://${canaries.secret("host")}.internal`;
      fake.answer("refusing", { status: 429, error: { message } });
      fake.answer("breaking", { chunks: [chunk({ content: "Hello" }), { error: { message } }] });
      await canaries.start(assistant({ model: fake.model("refusing") }, canaries)).turn.ended;
      await canaries.start(assistant({ model: fake.model("breaking") }, canaries)).turn.ended;
      await fake.close();
    },
  },
  {
    from: "a sub-agent that fails alone",
    witness: /"error":\{"code":"SUB_AGENT_FAILED","sub_agent_id":"shop"\},"is_final":true/,
    play(canaries) {
      const shop = subAgent("shop", brokenModel(canaries));
      canaries.start(assistant({ model: asking("shop"), subAgents: [shop] }, canaries));
    },
  },
  {
    from: "a sub-agent that fails beside another, whose own words are for its caller",
    witness: /"PARTIAL_FAN_OUT","failed":\[\{"code":"SUB_AGENT_FAILED","sub_agent_id":"shop"\}\].*"chunk":"Sorry\."/,
    play(canaries) {
      const { secret, dropped } = canaries;
      const talking = says({ reasoning: dropped("reasoning"), text: secret("answer") });
      const subAgents = [subAgent("shop", brokenModel(canaries)), subAgent("rewards", talking)];
      canaries.start(assistant({ model: asking("shop", "rewards"), subAgents }, canaries));
    },
  },
  {
    from: "a sub-agent's handler that throws when the turn is cancelled",
    witness: /"code":"REQUEST_CANCELLED"/,
    async play(canaries) {
      const error = leakyError(canaries);
      const shop = subAgent("shop", says({ hang: true }), () => {
        throw error;
      });
      const { turn } = canaries.start(assistant({ model: asking("shop"), subAgents: [shop] }, canaries));
      await tick();
      turn.cancel();
    },
  },
];

const TOOLS: Row[] = [
  {
    from: "a tool that throws",
    witness: ANSWERED,
    play: calling((canaries) => Promise.reject(leakyError(canaries))),
  },
  {
    from: "a tool's arguments and a result that is not shown",
    witness: ANSWERED,
    play(canaries) {
      const { secret } = canaries;
      const find = tool("find", () => ({ balance: secret("result"), [secret("key")]: 1 }));
      canaries.start(assistant({ model: calls("find", { card: secret("argument") }), tools: [find] }, canaries));
    },
  },
  {
    from: "arguments that a schema refuses in its own words",
    witness: ANSWERED,
    play(canaries) {
      const input = z.object({ card: z.string().refine(() => false, canaries.secret("refusal")) });
      const find = defineTool({ name: "find", description: "Finds", input, run: () => undefined });
      canaries.start(assistant({ model: calls("find", { card: canaries.secret("card") }), tools: [find] }, canaries));
    },
  },
  {
    from: "a tool that the model made up",
    witness: /"name":"unknown".*\{"event_type":"completed"\}\]$/,
    play(canaries) {
      const model = calls(`${canaries.dropped("name")} /srv`, { card: canaries.secret("argument") });
      canaries.start(assistant({ model }, canaries));
    },
  },
  {
    from: "every field around the payload of an envelope that is shown",
    witness: SHOWN,
    play: showing(({ dropped }) => ({
      enricher_id: `offers.${dropped("host")}.internal:8080`,
      domain_type: dropped("domain_type"),
      status: "partial",
      partial: [{ source: `${dropped("source")}.internal`, reason: dropped("reason") }],
      cache_meta: { key: dropped("cache_key"), node: `${dropped("cache_host")}.internal` },
      timing: { [dropped("timing")]: 12 },
      request_id: dropped("request_id"),
    })),
  },
  {
    from: "the principal that an envelope is for",
    witness: SHOWN,
    play(canaries) {
      const principal = { tenant_id: canaries.dropped("tenant"), user_id: canaries.dropped("user") };
      showing(() => ({ principal }))({ ...canaries, start: (agent) => canaries.start(agent, { principal }) });
    },
  },
  {
    from: "the metadata of an envelope that failed, its reason in prose",
    witness: ENVELOPE_FAILED,
    play: calling(({ dropped, secret }) =>
      envelope({
        status: "error",
        partial: [{ source: `${dropped("source")}.internal`, reason: `${secret("reason")} at /srv/app` }],
        cache_meta: { key: dropped("cache") },
        timing: { trace: dropped("trace") },
        payload: { draft: dropped("payload") },
      }),
    ),
  },
  {
    from: "an envelope for another principal",
    witness: /"code":"CCS_ENVELOPE_ERROR","enricher_id":"offers","reason":"unauthorized"/,
    play: calling(({ dropped }) =>
      envelope({
        principal: { tenant_id: dropped("tenant"), user_id: dropped("user") },
        payload: [{ id: dropped("payload") }],
      }),
    ),
  },
  {
    from: "an envelope whose status or version is nonsense",
    witness: ANSWERED,
    play(canaries) {
      const { dropped } = canaries;
      calling(() => envelope({ status: dropped("status"), payload: dropped("payload") }))(canaries);
      calling(() => envelope({ version: dropped("version"), payload: dropped("payload") }))(canaries);
    },
  },
];

const BACKENDS: Row[] = [
  {
    from: "a node of a graph that throws",
    witness: FAILED,
    play: node((canaries) => () => Promise.reject(leakyError(canaries))),
  },
  {
    from: "custom events of a node that are none",
    witness: COMPLETED,
    play: node(({ secret, dropped }) => (_, config) => {
      config.writer?.({ event_type: secret("unregistered"), host: secret("value") });
      config.writer?.({ event_type: `Looking into ${dropped("prose")}` });
      config.writer?.({ type: "error", message: dropped("error") });
      return Promise.resolve({});
    }),
  },
  {
    from: "what a graph asks when it is interrupted",
    witness: /"has_more":true/,
    play({ start, dropped }) {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("ask", () => {
          interrupt({ question: dropped("interrupt") });
          return { messages: [new AIMessage("never")] };
        })
        .addEdge(START, "ask")
        .compile({ checkpointer: new MemorySaver() });
      start(fromLangGraph(graph, { id: "rewards" }));
    },
  },
  {
    from: "arguments and results of a graph's tools",
    witness: /"event_type":"tool_completed".*\{"event_type":"completed"\}\]$/,
    play({ start, secret }) {
      const model = new ScriptedChatModel([...callPieces("call_1", secret("argument"))], [{ content: "Done." }]);
      start(fromLangGraph(offerGraph(model).compile(), { id: "shop" }));
    },
  },
  {
    from: "a tool of a graph that throws",
    witness: /"event_type":"tool_completed".*"chunk":"Done\."/,
    play(canaries) {
      const error = new Error(`password=${canaries.secret("message")}`, { cause: canaries.dropped("cause") });
      const schema = z.object({ query: z.string() });
      const failing = graphTool(() => Promise.reject(error), { name: "search_offers", description: "Fails", schema });
      const model = new ScriptedChatModel([...callPieces("call_1", "shoes")], [{ content: "Done." }]);
      canaries.start(fromLangGraph(offerGraph(model, [failing]).compile(), { id: "shop" }));
    },
  },
  {
    from: "the error of a service, and what it does with its tools",
    witness: /"event_type":"tool_completed".*"code":"INTERNAL_ERROR"/,
    play: service(({ secret }) =>
      answerSse([
        { type: "tool_call_start", tool_call_id: "c1", tool_name: "find", arguments: { key: secret("argument") } },
        { type: "tool_result", tool_call_id: "c1", result: secret("result"), is_error: false, duration_ms: 1 },
        { type: "error", message: `ECONNREFUSED db.${secret("message")}.internal`, node_id: "n", error_code: "X" },
      ]),
    ),
  },
  {
    from: "events of a service that nobody knows, and its own ids",
    witness: COMPLETED,
    play: service(({ secret, dropped }) =>
      answerSse([
        { type: "response_id", response_id: dropped("run") },
        { type: "cart_changed", host: dropped("unknown") },
        { type: "status", event_id: secret("unregistered") },
        { type: "text", content: "Hello", version: "9", trace: secret("extra") },
        { type: "completed" },
      ]),
    ),
  },
  {
    from: "a service that answers with an error page, with garbage, or not at all",
    witness: FAILED,
    async play(canaries) {
      const { start, dropped } = canaries;
      const page = { "content-type": "text/html", "x-served-by": dropped("header") };
      await service(
        () =>
          ({ response }) =>
            void response.writeHead(500, page).end(dropped("page")),
      )(canaries);
      await service(() => ({ response }) => {
        response.writeHead(200, SSE_TYPE).end(`${sse([{ type: "text", content: 7, at: dropped("field") }])}`);
      })(canaries);
      const gone = `http://127.0.0.1:1/${dropped("path")}`;
      start(upstreamAgent({ id: "shop", url: gone, headers: { authorization: dropped("token") } }));
    },
  },
];

for (const { from, witness, play } of [...AGENTS, ...MODELS, ...TOOLS, ...BACKENDS]) {
  test(`no byte of a turn tells of ${from} [W-FR-7] [W-ERR-8] [W-FR-10] [G7]`, async () => {
    const canaries = createCanaries();
    await play(canaries);
    await canaries.judge(witness);
  });
}
