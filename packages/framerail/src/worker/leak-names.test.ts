// Names that others choose and clients see: a model's, a graph's, a service's, a backend's. An address is no name.

import { expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { oddModel } from "../agent/model/testing/odd-model.js";
import { envelope, says, tool } from "../agent/testing/scripted.js";
import { fromLangGraph } from "../backend/langgraph/from-lang-graph.js";
import { offerGraph } from "../backend/langgraph/testing/offer-graph.js";
import { graphOf } from "../backend/langgraph/testing/play-graph.js";
import { ScriptedChatModel } from "../backend/langgraph/testing/scripted-chat-model.js";
import { answerSse, startFakeUpstream } from "../backend/upstream/testing/fake-upstream.js";
import { upstreamAgent } from "../backend/upstream/upstream-agent.js";
import { handClock, start } from "../dispatch/testing/turn-bench.js";
import { createCanaries, leakyError } from "./testing/canaries.js";

test("an enricher that names itself by its address is told as unknown [W-ERR-8]", async () => {
  const canaries = createCanaries();
  const enricher_id = `http://offers.${canaries.secret("host")}.internal:8080/srv`;
  const find = tool("find", () => envelope({ status: "error", enricher_id }));
  const model = says({ call: 1, tool_calls: [{ name: "find" }] }, { call: 2, text: "Sorry." });
  canaries.start(defineAgent({ id: "assistant", model, tools: [find], report: canaries.report }));
  await canaries.judge(/"CCS_ENVELOPE_ERROR","enricher_id":"unknown".*Sorry/);
});

test("a service's sub-agent that is an address makes the failure a plain one [W-ERR-8]", async () => {
  const canaries = createCanaries();
  const sub_agent_id = `db.${canaries.dropped("host")}.internal:5432/srv`;
  const event = { type: "error", message: "x", error_code: "SUB_AGENT_FAILED", sub_agent_id };
  await using upstream = await startFakeUpstream(answerSse([event]));
  await canaries.start(upstreamAgent({ id: "shop", url: upstream.url })).turn.ended;
  await canaries.judge(/"INTERNAL_ERROR"\},"is_final":true/);
});

test("a tool name that a graph's model made up is shown as unknown [W-ERR-8]", async () => {
  const canaries = createCanaries();
  const name = `cat /srv/${canaries.secret("name")}/.env`;
  const call = { content: "", tool_call_chunks: [{ index: 0, id: "c1", name, args: "{}" }] };
  const model = new ScriptedChatModel([call], [{ content: "Done." }]);
  canaries.start(fromLangGraph(offerGraph(model).compile(), { id: "shop" }));
  await canaries.judge(/"tool_call":\{"id":"c1","name":"unknown"/);
});

test("a tool name and type that a service sent are shown as unknown [W-ERR-8]", async () => {
  const canaries = createCanaries();
  const call = {
    type: "tool_call_start",
    tool_call_id: "c1",
    tool_name: `open /srv/${canaries.dropped("name")}/x.sock`,
    tool_type: `tcp://${canaries.dropped("type")}`,
  };
  await using upstream = await startFakeUpstream(answerSse([call, { type: "completed" }]));
  await canaries.start(upstreamAgent({ id: "shop", url: upstream.url })).turn.ended;
  await canaries.judge(/"name":"unknown","type":"unknown".*completed/);
});

test("a component's tool and the parts that failed are named by no address, whoever sent them [W-ERR-8]", async () => {
  const canaries = createCanaries();
  const host = () => `db.${canaries.dropped("host")}.internal:5432/srv`;
  const failed = [
    { code: "SUB_AGENT_FAILED", sub_agent_id: host() },
    { code: "CCS_ENVELOPE_ERROR", enricher_id: host(), reason: "upstream_timeout" },
  ];
  const tool = { tool_call_id: "c1", tool_name: host(), tool_type: host() };
  const events = [
    { type: "component", data_id: "d1", data_type: "offer_list", chunk: {}, ...tool },
    ...failed.map((error) => ({ type: "part_failed", error })),
    { type: "part_failed", error: { code: "PARTIAL_FAN_OUT", failed } },
  ];
  await using upstream = await startFakeUpstream(answerSse([...events, { type: "completed" }]));
  await canaries.start(upstreamAgent({ id: "shop", url: upstream.url })).turn.ended;
  await canaries.judge(
    /"name":"unknown","type":"unknown".*"sub_agent_id":"unknown".*"enricher_id":"unknown".*completed/,
  );
});

test("why a model failed is told to operators when another made up for it [R-3.4-11]", async () => {
  const canaries = createCanaries();
  const broken = { ...oddModel({ parts: [], id: "broken" }), doStream: () => Promise.reject(leakyError(canaries)) };
  const model = [broken, says({ text: "Hello" })] as const;
  canaries.start(defineAgent({ id: "assistant", model, report: canaries.report }));
  await canaries.judge(/"chunk":"Hello".*completed/);
});

test("a service that is asked for NDJSON is asked for nothing else", async () => {
  const accepts: unknown[] = [];
  await using upstream = await startFakeUpstream(({ headers, response }) => {
    accepts.push(headers.accept);
    response.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"type":"completed"}\n');
  });
  const { turn } = start(upstreamAgent({ id: "shop", url: upstream.url, format: "ndjson" }));
  expect(await turn.ended).toEqual({ kind: "completed" });
  expect(accepts).toEqual(["application/x-ndjson"]);
});

test("a compose hook that throws leaves no timer behind [W-FR-6]", async () => {
  const clock = handClock();
  const compose = () => {
    throw new Error("no hook today");
  };
  const { turn } = start(defineAgent({ id: "assistant", model: says({ text: "x" }), clock, compose }), { clock });
  expect(await turn.ended).toMatchObject({ kind: "failed" });
  expect(clock.waiting).toBe(0);
});

test("a graph's input may be made asynchronously, from the state of its thread", async () => {
  const input = () => Promise.resolve({ messages: [] });
  const { turn } = start(
    fromLangGraph(
      graphOf(() => Promise.resolve({})),
      { id: "rewards", input },
    ),
  );
  expect(await turn.ended).toEqual({ kind: "completed" });
});
