import { checkEvent } from "@framerail/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { writer } from "../writer.js";
import type { Tool, ToolContext } from "./define-tool.js";
import { defineTool } from "./define-tool.js";
import { ARGUMENTS_BYTES_MAX, ISSUE_BYTES_MAX, ISSUES_MAX, RESULT_BYTES_MAX } from "./limits.js";
import { runTool, runUnknownTool } from "./run-tool.js";
import { handClock, PRINCIPAL, tick, toolBench } from "./testing/tool-bench.js";

const toolOf = (run: (input: { q: string }, context: ToolContext) => unknown, name = "search"): Tool =>
  defineTool({ name, description: "Finds", type: "mcp", input: z.object({ q: z.string() }), run });
const CALL = { id: "call_1", argumentsText: '{"q":"tea"}' };
const CANARY = "C4NARY at /srv/secret.ts db.internal:5432";

async function play(tool: Tool, call: Parameters<typeof runTool>[1] = CALL) {
  const bench = toolBench();
  const outcome = await runTool(tool, call, bench.context);
  return { ...bench, outcome };
}
const TRIPLE = ["tool_call", "tool_result", "tool_call_end"] as const;

describe("a call that goes well", () => {
  test("writes the intent with its arguments, the result and the end, in this order [P-7] [P-8] [W-FR-15]", async () => {
    const clock = handClock();
    const bench = toolBench({ clock });
    const tool = toolOf(() => {
      clock.pass(42);
      return { offers: 2 };
    });
    const startedAt = clock.now();
    expect(await runTool(tool, CALL, bench.context)).toEqual({ result: { offers: 2 }, isError: false });
    const same = { tool_call_id: "call_1", tool_name: "search", tool_type: "mcp" };
    expect(bench.eventsOf(...TRIPLE)).toEqual([
      { type: "tool_call", ...same, arguments: { q: "tea" }, timestamp: startedAt },
      { type: "tool_result", tool_call_id: "call_1", result: { offers: 2 }, is_error: false, duration_ms: 42 },
      { type: "tool_call_end", ...same },
    ]);
    expect(bench.events().map(checkEvent)).toEqual(bench.events().map(() => undefined));
    expect(clock.waiting).toBe(0);
  });

  test("the intent is written before anything runs, in the caller's own tick [P-7]", async () => {
    const bench = toolBench();
    let began = false;
    const running = runTool(
      toolOf(() => {
        began = true;
      }),
      CALL,
      bench.context,
    );
    expect(began).toBe(false);
    expect(bench.types()).toEqual(["tool_call"]);
    await running;
    expect(began).toBe(true);
  });

  test("arguments and results stay off the wire [C-15]", async () => {
    const { wire, types, events } = await play(
      toolOf(() => ({ secret: CANARY })),
      {
        id: "call_1",
        arguments: { q: `in ${CANARY}` },
      },
    );
    expect(types()).toEqual(["tool_call", "tool_completed"]);
    expect(wire()).not.toContain("C4NARY");
    expect(JSON.stringify(events())).toContain("C4NARY");
  });

  test("with both frames suppressed the wire shows neither and the taps see both, alike [W-FR-15]", async () => {
    const { context, types, eventsOf } = toolBench({ quiet: ["tool_call", "tool_completed"] });
    await runTool(
      toolOf(() => 1),
      CALL,
      context,
    );
    expect(types()).toEqual([]);
    const [start, end] = eventsOf("tool_call", "tool_call_end");
    expect(end).toEqual({ type: "tool_call_end", tool_call_id: "call_1", tool_name: "search", tool_type: "mcp" });
    expect(start).toMatchObject({ ...end, type: "tool_call" });
  });

  test("the tool gets the turn's principal, its call id, and a writer that is also the ambient one", async () => {
    let seen: unknown;
    const { eventsOf } = await play(
      toolOf(async (_input, context) => {
        await tick();
        seen = [context.principal, context.callId, writer() === context.writer, context.writer.emitter];
        writer().text("hello");
      }),
    );
    expect(seen).toEqual([PRINCIPAL, "call_1", true, "assistant"]);
    expect(eventsOf("text")).toEqual([{ type: "text", content: "hello" }]);
  });

  test("calls side by side each close with their own id, whatever the order they end in [P-55] [P-62]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ wait: fc.nat(5), fails: fc.boolean() }), { maxLength: 8, minLength: 1 }),
        async (plans) => {
          const bench = toolBench();
          const outcomes = await Promise.all(
            plans.map(({ wait, fails }, index) => {
              const tool = toolOf(async () => {
                for (let turn = 0; turn < wait; turn += 1) await tick();
                if (fails) throw new Error(CANARY);
                return index;
              });
              return runTool(tool, { ...CALL, id: `call_${index}` }, bench.context);
            }),
          );
          for (const [index, { fails }] of plans.entries()) {
            const own = bench.eventsOf(...TRIPLE).filter(({ tool_call_id }) => tool_call_id === `call_${index}`);
            expect(own.map(({ type }) => type)).toEqual(TRIPLE);
            expect(own[1]).toMatchObject({ is_error: fails, result: outcomes[index]?.result });
            expect(outcomes[index]?.isError).toBe(fails);
          }
          bench.complete();
          expect(bench.types().at(-1)).toBe("completed");
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a call that does not go well is an outcome, and the loop goes on:", () => {
  test("an exception becomes a sentence that names the tool; its text goes to operators alone [P-13] [W-ERR-8]", async () => {
    const thrown = new Error(CANARY);
    const { outcome, eventsOf, wire, events, reports } = await play(
      toolOf(() => {
        throw thrown;
      }),
    );
    expect(outcome).toEqual({ result: { error: "The tool search failed." }, isError: true });
    expect(eventsOf(...TRIPLE).map(({ type }) => type)).toEqual(TRIPLE);
    expect(eventsOf("tool_result")[0]).toMatchObject({ is_error: true, result: outcome.result });
    expect(wire() + JSON.stringify(events())).not.toContain("C4NARY");
    expect(reports).toMatchObject([
      { tool: "search", call_id: "call_1", error: { code: "TOOL_FAILED", cause: thrown } },
    ]);
  });

  test("input that the schema refuses is told with its field, and the tool does not run [P-13]", async () => {
    let ran = false;
    const tool = toolOf(() => {
      ran = true;
    });
    const { outcome, codes, eventsOf } = await play(tool, { id: "call_1", argumentsText: '{"q":7}' });
    expect(ran).toBe(false);
    expect(outcome.isError).toBe(true);
    expect((outcome.result as { error: string }).error).toMatch(/^The arguments of search are not valid\. q: /);
    expect(codes()).toEqual(["INVALID_TOOL_INPUT"]);
    expect(eventsOf(...TRIPLE).map(({ type }) => type)).toEqual(TRIPLE);
  });

  test("what is told of refused input is bounded and on one line", async () => {
    const issues = Array.from({ length: 50 }, (_, index) => ({
      message: `bad\u0000\n${"é".repeat(10_000)}`,
      path: ["list", { key: index }],
    }));
    const input = { "~standard": { version: 1, vendor: "own", validate: async () => ({ issues }) } } as const;
    const tool = defineTool({ name: "t", description: "d", input, inputJsonSchema: {}, run: () => 1 });
    const { error } = (await play(tool)).outcome.result as { error: string };
    expect(error).toContain("list.4: bad ");
    expect(error).not.toContain("list.5");
    expect(error).not.toMatch(/\p{Cc}/u);
    expect(Buffer.byteLength(error)).toBeLessThan(ISSUES_MAX * (ISSUE_BYTES_MAX + 2) + 50);
  });

  test.each([
    ["text that is no JSON", '{"q":', "must be JSON"],
    ["half a character", '{"q":"\\ud800"}', "must be JSON"],
    ["a key that swaps a prototype", '{"q":"tea","__proto__":{"admin":true}}', "must be JSON"],
    ["too much space", `{"q":"tea"}${" ".repeat(ARGUMENTS_BYTES_MAX)}`, "must have at most"],
    ["too much text", JSON.stringify({ q: "x".repeat(ARGUMENTS_BYTES_MAX) }), "must have at most"],
  ])("arguments with %s are refused and kept short for history", async (_what, argumentsText, says) => {
    const { outcome, eventsOf } = await play(
      toolOf(() => 1),
      { id: "call_1", argumentsText },
    );
    expect((outcome.result as { error: string }).error).toContain(says);
    expect(JSON.stringify(eventsOf("tool_call")[0]).length).toBeLessThan(5_000);
    expect(eventsOf(...TRIPLE)).toHaveLength(3);
  });

  test("arguments that were parsed already are held to the same rules", async () => {
    const loop: { q: string; self?: unknown } = { q: "tea" };
    loop.self = loop;
    for (const value of [loop, { q: "x".repeat(ARGUMENTS_BYTES_MAX) }]) {
      const { outcome } = await play(
        toolOf(() => 1),
        { id: "call_1", arguments: value as never },
      );
      expect(outcome.isError).toBe(true);
    }
  });

  test("no text at all is a call without arguments", async () => {
    const tool = defineTool({ name: "now", description: "d", input: z.object({}), run: (input) => input });
    expect((await play(tool, { id: "call_1", argumentsText: " " })).outcome).toEqual({ result: {}, isError: false });
  });

  test("a tool that there is not is answered with those there are, with its events [W-FR-15]", async () => {
    const bench = toolBench();
    const outcome = await runUnknownTool("serch", ["search", "book"], CALL, bench.context);
    expect(outcome).toEqual({
      result: { error: "There is no tool serch. The tools are: search, book." },
      isError: true,
    });
    expect(bench.eventsOf(...TRIPLE).map(({ type }) => type)).toEqual(TRIPLE);
    const odd = toolBench();
    await runUnknownTool(`<script>${CANARY}`, Array.from({ length: 500 }, String), CALL, odd.context);
    expect(odd.wire()).not.toContain("C4NARY");
    expect(JSON.stringify(odd.eventsOf("tool_result")).length).toBeLessThan(1_000);
  });

  test("a clock that is set back makes a call no shorter than nothing", async () => {
    const bench = toolBench();
    const times = [1_000, 990].values();
    const clock = { ...bench.context.clock, now: () => times.next().value ?? 0 };
    const tool = toolOf(() => 1);
    await runTool(tool, CALL, { ...bench.context, clock });
    expect(bench.eventsOf("tool_result")).toMatchObject([{ duration_ms: 0 }]);
  });

  test("a report that throws costs neither the outcome nor the events", async () => {
    const bench = toolBench();
    const report = () => {
      throw new Error("the reporter is down");
    };
    const failing = toolOf(() => {
      throw new Error("x");
    });
    const outcome = await runTool(failing, CALL, { ...bench.context, report });
    expect(outcome.isError).toBe(true);
    expect(bench.eventsOf(...TRIPLE)).toHaveLength(3);
  });
});

describe("what a tool returns", () => {
  const resultOf = async (value: unknown) => (await play(toolOf(() => value))).outcome;

  test("any JSON arrives as it is, and nothing as null", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const wellFormed = JSON.parse(JSON.stringify(value).replace(/\\ud[89a-f]../gi, "")) as unknown;
        const { result, isError } = await resultOf(wellFormed);
        if (JSON.stringify(wellFormed).includes("__proto__")) return;
        expect({ result, isError }).toEqual({ result: wellFormed, isError: false });
      }),
      { numRuns: 60 },
    );
    expect(await resultOf(undefined)).toEqual({ result: null, isError: false });
    expect(await resultOf({ a: undefined, b: [undefined] })).toEqual({ result: { b: [null] }, isError: false });
  });

  test.each([
    ["a date", { at: new Date(0) }],
    ["a map", new Map()],
    ["a number that is none", [Number.NaN]],
    ["a big integer", 1n],
    ["a function", () => 1],
    ["half a character", "\ud800"],
    ["a key that swaps a prototype", JSON.parse('{"a":{"__proto__":7}}')],
  ])("%s is an error that names the tool", async (_what, value) => {
    expect(await resultOf(value)).toEqual({
      result: { error: "The tool search returned something that is not JSON." },
      isError: true,
    });
  });

  test("a cycle, a bomb and a giant end as errors", async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    let bomb: unknown = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    for (let level = 0; level < 8; level += 1) bomb = Array(10).fill(bomb);
    const { outcome, reports } = await play(toolOf(() => cycle));
    expect(outcome.isError).toBe(true);
    expect(reports[0]?.error.cause).toMatchObject({ message: "a tool returned nesting deeper than 128" });
    expect((await resultOf(bomb)).isError).toBe(true);
    expect(await resultOf("x".repeat(RESULT_BYTES_MAX - 2))).toMatchObject({ isError: false });
    expect(await resultOf("x".repeat(RESULT_BYTES_MAX - 1))).toMatchObject({
      result: { error: "The tool search returned more than can be read." },
    });
  });

  test("what the tool does with its object afterwards changes nothing", async () => {
    const shared = { offers: ["tea"] };
    const { outcome, eventsOf } = await play(toolOf(() => shared));
    shared.offers.push("CHANGED");
    expect(outcome.result).toEqual({ offers: ["tea"] });
    expect(eventsOf("tool_result")[0]?.result).toEqual({ offers: ["tea"] });
  });
});
