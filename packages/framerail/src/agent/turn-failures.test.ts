import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { handClock, play, start, tick } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { STEP_TEXT_LENGTH_MAX } from "./model/limits.js";
import { finish, text, toolCall } from "./model/testing/odd-model.js";
import { defineSubAgent } from "./sub-agent.js";
import {
  began,
  CLOSING,
  ended,
  framesOf,
  keepAsked,
  OPENING,
  playsParts,
  says,
  saysWhole,
  tool,
  wrote,
} from "./testing/scripted.js";
import { defineTool } from "./tool/define-tool.js";
import { writer } from "./writer.js";

const FAILED = { event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: true };
const USAGE = { event_type: "usage" };

describe("what stops a turn", () => {
  const nobody = createOpenAICompatible({ name: "nobody", baseURL: "http://127.0.0.1:1/v1", apiKey: "sk-CANARY" });
  const broken = tool("broken", () => writer().toolCallEnd({ tool_call_id: "never_begun", tool_name: "x" }));
  const cases = [
    ["a model that cannot be reached", { model: nobody.chatModel("gone") }, "application", [USAGE, FAILED]],
    [
      "a run that takes too long",
      { model: says({ hang: true }), config: { execution_timeout: 20 } },
      "deadline",
      [USAGE, FAILED],
    ],
    [
      "a state that is broken",
      { model: saysWhole({ call: 1, tool_calls: [{ name: "broken" }] }, { call: 2, text: "never" }), tools: [broken] },
      "protocol_violation",
      [
        began(1, "broken"),
        { event_type: "tool_completed", tool_call: { ...began(1, "broken").tool_call, status: "cancelled" } },
        FAILED,
      ],
    ],
    [
      "a failure of the application",
      {
        model: saysWhole({ text: "never" }),
        compose: () => {
          throw new Error("CANARY at /srv/app.ts");
        },
      },
      "application",
      [FAILED],
    ],
  ] as const;

  test.each(cases)("%s is one final error, and the loop stops [P-12] [W-ERR-1]", async (_, options, cause, frames) => {
    const { model, asked } = keepAsked(options.model);
    const { sink, outcome } = await play(defineAgent({ id: "assistant", ...options, model }));
    expect(outcome).toEqual({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause });
    const opening = frames[0] === FAILED ? OPENING.slice(0, 1) : OPENING;
    expect(framesOf(sink)).toEqual([...opening, ...frames]);
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(sink.wire()).not.toMatch(/CANARY|127\.0\.0\.1|ECONN/);
  });

  test("a provider's rate limit keeps its code on the whole way [W-ERR-2]", async () => {
    const { sink } = await play(defineAgent({ id: "assistant", model: says({ fail: { status: 429 } }) }));
    expect(framesOf(sink)).toEqual([...OPENING, USAGE, { ...FAILED, error: { code: "RATE_LIMIT_ERROR" } }]);
  });
});

describe("a model that streams garbage", () => {
  const endless = Array.from({ length: 70 }, () => text("x".repeat(STEP_TEXT_LENGTH_MAX / 64)));
  const cases: [string, unknown[], string, object[]][] = [
    ["a part that is none", [text("So "), 7], "streamed something that is not a part", [wrote("So ")]],
    [
      "arguments before their call",
      [{ type: "tool-input-delta", id: "c", delta: "{" }],
      "streamed arguments of a tool call that is not open",
      [],
    ],
    ["no end", [text("So ")], "ended its stream without a finish", [wrote("So ")]],
    ["one id for two calls", [toolCall("{}"), toolCall("{}"), finish()], "gave one id to two tool calls", []],
  ];
  test.each(cases)(
    "%s: the author is told model and rule, the client a code, and no tool runs [G7]",
    async (_, parts, says, shown) => {
      let ran = false;
      const search = tool("search", () => (ran = true));
      const agent = defineAgent({ id: "assistant", model: playsParts(parts), tools: [search] });
      const { sink, failures } = await play(agent);
      expect(framesOf(sink)).toEqual([...OPENING, ...shown, USAGE, FAILED]);
      expect(failures).toMatchObject([{ code: "MODEL_FAILED", message: `model odd ${says}` }]);
      expect(ran).toBe(false);
    },
  );

  test("deltas without end stop at their maximum, and what was shown stays [G8]", async () => {
    const { sink, failures, events } = await play(defineAgent({ id: "assistant", model: playsParts(endless) }));
    expect(framesOf(sink).at(-1)).toEqual(FAILED);
    expect(failures).toMatchObject([{ message: `model odd wrote more than ${STEP_TEXT_LENGTH_MAX} characters` }]);
    const written = events.flatMap(({ event }) => (event.type === "text" ? [event.content.length] : []));
    expect(written.reduce((sum, length) => sum + length, 0)).toBe(STEP_TEXT_LENGTH_MAX);
  });

  test("arguments that are no JSON and a tool that is not there are told to it, and it may try again [P-13]", async () => {
    const { model, asked } = keepAsked(
      playsParts(
        [toolCall('{"q":', "call_1", "search"), toolCall("{}", "call_2", "serch"), finish()],
        [toolCall('{"q":"tea"}', "call_3", "search"), finish()],
        [text("Found."), finish()],
      ),
    );
    const search = defineTool({
      name: "search",
      description: "d",
      input: z.object({ q: z.string() }),
      run: ({ q }) => q,
    });
    const { sink } = await play(defineAgent({ id: "assistant", model, tools: [search] }));
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[began(1, "search"), began(2, "serch"), ended(2, "serch"), ended(1, "search")],
      ...[began(3, "search"), ended(3, "search"), wrote("Found.")],
      ...CLOSING,
    ]);
    expect(asked.map(({ prompt }) => prompt.at(-1)?.content).slice(1)).toMatchObject([
      [
        { output: { type: "error-json", value: { error: "The arguments of search are not valid. must be JSON" } } },
        { output: { type: "error-json", value: { error: "There is no tool serch. The tools are: search." } } },
      ],
      [{ output: { type: "json", value: "tea" } }],
    ]);
  });

  test.each(["functions.search", "multi_tool_use.parallel", "search offers", "x".repeat(65)])(
    "a made-up name that providers refuse in a prompt, %s, is not sent back to them [P-13]",
    async (name) => {
      const { model, asked } = keepAsked(
        playsParts([toolCall("{}", "call_1", name), finish()], [text("So."), finish()]),
      );
      const { outcome } = await play(defineAgent({ id: "assistant", model, tools: [tool("search", () => 1)] }));
      expect(outcome).toEqual({ kind: "completed" });
      expect(asked[1]?.prompt.slice(-2)).toMatchObject([
        { role: "assistant", content: [{ toolCallId: "call_1", toolName: "unknown" }] },
        { role: "tool", content: [{ toolCallId: "call_1", toolName: "unknown", output: { type: "error-json" } }] },
      ]);
    },
  );

  test.each([
    ["arguments that are no JSON", '{"task":', "The arguments of shop are not valid. must be JSON"],
    ["something else than a task", '{"query":"tea"}', "The arguments of shop are not valid. task: must say what to do"],
    ["a blank task", '{"task":" "}', "The arguments of shop are not valid. task: must say what to do"],
    ["a task that is no text", '{"task":["tea"]}', "The arguments of shop are not valid. task: must say what to do"],
  ])(
    "a sub-agent that is called with %s is not run, and the model is told and may try again [P-13]",
    async (_, input, error) => {
      const own = keepAsked(saysWhole({ text: "Green." }));
      const shop = defineSubAgent({ id: "shop", model: own.model, onCancel: () => undefined });
      const { model, asked } = keepAsked(
        playsParts(
          [toolCall(input, "call_1", "shop"), finish()],
          [toolCall('{"task":"tea"}', "call_2", "shop"), finish()],
          [text("Found."), finish()],
        ),
      );
      const { sink } = await play(defineAgent({ id: "assistant", model, subAgents: [shop] }));
      expect(framesOf(sink)).toEqual([
        ...OPENING,
        ...[began(1, "shop", "sub_agent"), ended(1, "shop", "sub_agent")],
        ...[began(2, "shop", "sub_agent"), ended(2, "shop", "sub_agent"), wrote("Found.")],
        ...CLOSING,
      ]);
      expect(own.asked.map(({ prompt }) => prompt)).toEqual([
        [{ role: "user", content: [{ type: "text", text: "tea" }] }],
      ]);
      expect(asked.map(({ prompt }) => prompt.at(-1)?.content).slice(1)).toMatchObject([
        [{ output: { type: "error-json", value: { error } } }],
        [{ output: { type: "json", value: { answer: "Green." } } }],
      ]);
    },
  );
});

describe("a tool that never returns", () => {
  test("is given up at its deadline: the author is told which and why, the model a sentence, the client nothing but its end [P-13] [D-10]", async () => {
    const clock = handClock();
    const reports: { what: string; error: unknown }[] = [];
    const stuck = defineTool({
      name: "stuck",
      description: "d",
      input: z.object({}),
      timeoutMs: 700,
      run: () => new Promise(() => undefined),
    });
    const { model, asked } = keepAsked(
      saysWhole({ call: 1, tool_calls: [{ name: "stuck" }] }, { call: 2, text: "Later." }),
    );
    const agent = defineAgent({
      id: "assistant",
      model,
      tools: [stuck],
      clock,
      report: (report) => reports.push(report),
    });
    const { turn, sink, events } = start(agent, { clock });
    while (!sink.types().includes("tool_call")) await tick();
    clock.pass(699);
    await tick();
    expect(sink.types()).not.toContain("tool_completed");
    clock.pass(1);
    await turn.ended;
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[began(1, "stuck"), ended(1, "stuck"), wrote("Later.")],
      ...CLOSING,
    ]);
    expect(reports).toMatchObject([
      {
        what: "tool stuck of assistant",
        error: { code: "DEADLINE_EXCEEDED", message: "tool stuck took more than 700 ms" },
      },
    ]);
    // Whose tool it was stands on each of its events.
    expect(events.find(({ event }) => event.type === "tool_call")?.emitter).toBe("assistant");
    expect(asked[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { value: { error: "The tool stuck took too long and was given up." } } }],
    });
    expect(sink.wire()).not.toMatch(/DEADLINE|700 ms/);
    expect(clock.waiting).toBe(0);
  });
});

describe("a tool's schema that fails", () => {
  const schemas: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("CANARY at /srv/schema.ts");
      },
    ],
    ["rejects", () => Promise.reject(new Error("CANARY at /srv/schema.ts"))],
    ["gives nothing", () => undefined],
    ["gives issues that are none", () => ({ issues: "CANARY" })],
    ["gives an issue that is nothing", () => ({ issues: [null] })],
    ["gives an empty list of issues", () => ({ issues: [] })],
    ["gives a word", () => "fine"],
    ["gives neither a value nor issues", () => ({})],
  ];
  test.each(schemas)(
    "one that %s is a failed call that names the tool, and the turn goes on [P-13] [W-ERR-8]",
    async (_, validate) => {
      let ran = false;
      const reports: { what: string; error: unknown }[] = [];
      const input = { "~standard": { version: 1, vendor: "own", validate: validate as never } } as const;
      const odd = defineTool({ name: "odd", description: "d", input, inputJsonSchema: {}, run: () => (ran = true) });
      const agent = defineAgent({
        id: "assistant",
        model: saysWhole({ call: 1, tool_calls: [{ name: "odd" }] }, { call: 2, text: "Without it." }),
        tools: [odd],
        report: (report) => reports.push(report),
      });
      const { sink, events } = await play(agent);
      expect(framesOf(sink)).toEqual([
        ...OPENING,
        ...[began(1, "odd"), ended(1, "odd"), wrote("Without it.")],
        ...CLOSING,
      ]);
      expect(ran).toBe(false);
      expect(reports).toHaveLength(1);
      expect(reports[0]).toMatchObject({
        what: "tool odd of assistant",
        error: { message: expect.stringContaining("odd") as string },
      });
      expect(sink.wire() + JSON.stringify(events)).not.toContain("CANARY");
    },
  );
});
