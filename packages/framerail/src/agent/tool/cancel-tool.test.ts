import type { AgentEvent } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createWriter } from "../writer.js";
import type { CancelMode, ToolContext } from "./define-tool.js";
import { defineTool } from "./define-tool.js";
import { TOOL_TIMEOUT_MS } from "./limits.js";
import { runTool } from "./run-tool.js";
import { envelopeOf, startBackend } from "./testing/enrichment-backend.js";
import { createDoor, handClock, tick, toolBench } from "./testing/tool-bench.js";

const CALL = { id: "call_1", argumentsText: "{}" };
const CANCELLED = { result: { error: "The call of slow was cancelled." }, isError: true, discarded: true };
const slow = (run: (context: ToolContext) => unknown, cancel: CancelMode = "finish", timeoutMs?: number) =>
  defineTool({
    name: "slow",
    description: "d",
    input: z.object({}),
    cancel,
    ...(timeoutMs !== undefined && { timeoutMs }),
    run: (_input, context) => run(context),
  });
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
const until = async (holds: () => boolean) => {
  while (!holds()) await tick();
};

/** Keeps what is written, also after the cancel, when a turn would drop it. */
function keepWriting() {
  const events: AgentEvent[] = [];
  const cancel = new AbortController();
  const sink = { accept: (event: AgentEvent) => void events.push(event), ready: () => Promise.resolve() };
  const { context, reports, codes } = toolBench();
  const own = { ...context, writer: createWriter(sink, "assistant"), signal: cancel.signal };
  const stop = () => cancel.abort(new FramerailError("CANCELLED", "stopped"));
  return { events, context: own, cancel: stop, reports, codes };
}

describe("a turn that is cancelled while a tool runs", () => {
  test("the call in flight completes at the backend, its result is dropped and no new call starts [W-CAN-3] [D-10]", async () => {
    await using backend = await startBackend(envelopeOf({ payload: ["C4NARY"] }), { held: true });
    const bench = toolBench();
    const fetching = slow(async ({ signal }) => (await fetch(backend.url, { signal })).json());
    const running = runTool(fetching, CALL, bench.context);
    await until(() => backend.began === 1);
    bench.cancel();
    const second = await runTool(fetching, { ...CALL, id: "call_2" }, bench.context);
    expect(second).toEqual(CANCELLED);
    backend.release();
    expect(await running).toEqual(CANCELLED);
    await until(() => backend.finished === 1);
    expect([backend.began, backend.finished, backend.broken]).toEqual([1, 1, 0]);
    expect(JSON.stringify(bench.events()) + bench.wire()).not.toContain("C4NARY");
  });

  test("an abort tool gets the turn's signal at once, with its reason [D-10]", async () => {
    await using backend = await startBackend(envelopeOf(), { held: true });
    const bench = toolBench();
    let reason: unknown;
    const fetching = slow(async ({ signal }) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return (await fetch(backend.url, { signal })).json();
    }, "abort");
    const running = runTool(fetching, CALL, bench.context);
    await until(() => backend.began === 1);
    bench.cancel();
    expect(reason).toBe(bench.context.signal.reason);
    expect(await running).toEqual(CANCELLED);
    await until(() => backend.broken === 1);
  });

  test.each<CancelMode>(["finish", "abort"])(
    "each event is written once and the end says cancelled, %s [W-FR-15]",
    async (mode) => {
      const { events, context, cancel } = keepWriting();
      const door = createDoor();
      const running = runTool(
        slow(({ signal }) => Promise.race([door.opened, aborted(signal)]), mode),
        CALL,
        context,
      );
      await tick();
      cancel();
      await tick();
      expect(events).toHaveLength(mode === "finish" ? 1 : 3);
      door.open();
      await running;
      const same = { tool_call_id: "call_1", tool_name: "slow", tool_type: "function" };
      expect(events).toMatchObject([
        { type: "tool_call", ...same },
        { type: "tool_result", is_error: true, result: CANCELLED.result },
        { type: "tool_call_end", ...same, status: "cancelled" },
      ]);
    },
  );

  test("a call whose schema is still thinking when the cancel comes does not run [W-CAN-3]", async () => {
    const { events, context, cancel } = keepWriting();
    let ran = false;
    const input = z.object({}).refine(async () => {
      cancel();
      return true;
    });
    const tool = defineTool({
      name: "slow",
      description: "d",
      input,
      run: () => {
        ran = true;
      },
    });
    expect(await runTool(tool, CALL, context)).toEqual(CANCELLED);
    expect(ran).toBe(false);
    expect(events).toHaveLength(3);
  });

  test("a call that comes after the cancel does not even ask its schema [W-CAN-3]", async () => {
    const { events, context, cancel } = keepWriting();
    let asked = false;
    const input = z.object({}).refine(() => {
      asked = true;
      return true;
    });
    cancel();
    const tool = defineTool({ name: "slow", description: "d", input, run: () => 1 });
    expect(await runTool(tool, CALL, context)).toEqual(CANCELLED);
    expect(asked).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(["tool_call", "tool_result", "tool_call_end"]);
  });

  test("the result of a cancelled call is not looked at [W-CAN-3]", async () => {
    const { context, cancel } = keepWriting();
    let read = false;
    const result = {
      get offers() {
        read = true;
        return 1;
      },
    };
    const tool = slow(() => {
      cancel();
      return result;
    });
    expect(await runTool(tool, CALL, context)).toEqual(CANCELLED);
    expect(read).toBe(false);
  });

  test("what the tool writes after the cancel is dropped and reported, but for its accounting [W-CAN-3]", async () => {
    const { events, context, cancel, codes } = keepWriting();
    const tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0, cached_tokens: 0 };
    const tool = slow(async ({ writer }) => {
      writer.text("before");
      cancel();
      await tick();
      writer.text("after");
      writer.write({ type: "metrics", model: "m", tokens });
    });
    await runTool(tool, CALL, context);
    expect(events.map(({ type }) => type)).toEqual(["tool_call", "text", "metrics", "tool_result", "tool_call_end"]);
    expect(codes()).toEqual(["TOOL_FAILED"]);
  });
});

describe("a tool that takes too long", () => {
  test("is given up at its deadline: an error for the model, one end, the signal with its reason [D-10]", async () => {
    const clock = handClock();
    const bench = toolBench({ clock });
    let signal: AbortSignal | undefined;
    const tool = slow((context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    });
    const running = runTool(tool, CALL, bench.context);
    await tick();
    clock.pass(TOOL_TIMEOUT_MS - 1);
    await tick();
    expect(signal?.aborted).toBe(false);
    clock.pass(1);
    expect(await running).toEqual({
      result: { error: "The tool slow took too long and was given up." },
      isError: true,
    });
    expect((signal?.reason as FramerailError | undefined)?.code).toBe("DEADLINE_EXCEEDED");
    expect(bench.codes()).toEqual(["DEADLINE_EXCEEDED"]);
    expect(bench.types()).toEqual(["tool_call", "tool_completed"]);
    expect(clock.waiting).toBe(0);
  });

  test("a tool left behind cannot speak into the turn, and its late failure is heard of", async () => {
    const clock = handClock();
    const bench = toolBench({ clock });
    const door = createDoor();
    const tool = slow(
      async ({ writer }) => {
        await door.opened;
        writer.text("C4NARY");
        throw new Error("late");
      },
      "finish",
      5,
    );
    const running = runTool(tool, CALL, bench.context);
    await tick();
    clock.pass(5);
    await running;
    door.open();
    await tick();
    expect(bench.wire()).not.toContain("C4NARY");
    expect(bench.codes()).toEqual(["DEADLINE_EXCEEDED", "TOOL_FAILED", "TOOL_FAILED"]);
  });

  test("what a tool writes when it hears of its deadline is late already [D-10]", async () => {
    const clock = handClock();
    const bench = toolBench({ clock });
    const tool = slow(
      ({ writer, signal }) => {
        signal.addEventListener("abort", () => writer.text("C4NARY"));
        return new Promise(() => undefined);
      },
      "finish",
      5,
    );
    const running = runTool(tool, CALL, bench.context);
    await tick();
    clock.pass(5);
    await running;
    expect(bench.types()).toEqual(["tool_call", "tool_completed"]);
    expect(bench.codes()).toEqual(["TOOL_FAILED", "DEADLINE_EXCEEDED"]);
  });

  test("a tool that has answered cannot speak into the rest of the turn, and is reported [W-CAN-3]", async () => {
    const bench = toolBench();
    const tool = slow(({ writer }) => {
      setImmediate(() => writer.text("C4NARY"));
      return "done";
    });
    expect(await runTool(tool, CALL, bench.context)).toEqual({ result: "done", isError: false });
    await tick();
    await tick();
    expect(bench.wire()).not.toContain("C4NARY");
    expect(bench.reports).toMatchObject([{ error: { message: "tool slow wrote text after its call was over" } }]);
  });

  test("a cancelled finish tool is held to its deadline too, and is discarded then [D-10]", async () => {
    const clock = handClock();
    const bench = toolBench({ clock });
    const seen: boolean[] = [];
    const tool = slow(({ signal }) => {
      signal.addEventListener("abort", () => seen.push(true));
      return new Promise(() => undefined);
    });
    const running = runTool(tool, CALL, bench.context);
    await tick();
    bench.cancel();
    expect(seen).toEqual([]);
    clock.pass(TOOL_TIMEOUT_MS);
    expect(seen).toEqual([true]);
    expect(await running).toEqual(CANCELLED);
  });

  test("a schema that never answers is given up as well", async () => {
    const clock = handClock();
    const bench = toolBench({ clock });
    const input = z.object({}).refine(() => new Promise<boolean>(() => undefined));
    const running = runTool(defineTool({ name: "slow", description: "d", input, run: () => 1 }), CALL, bench.context);
    await tick();
    clock.pass(TOOL_TIMEOUT_MS);
    expect((await running).isError).toBe(true);
  });

  test("calls leave no listener on the turn's signal behind", async () => {
    const { context } = keepWriting();
    const added: unknown[] = [];
    const add = context.signal.addEventListener.bind(context.signal);
    const remove = context.signal.removeEventListener.bind(context.signal);
    Object.assign(context.signal, {
      addEventListener: (...args: Parameters<typeof add>) => {
        added.push(args[1]);
        add(...args);
      },
      removeEventListener: (...args: Parameters<typeof remove>) => {
        added.splice(added.indexOf(args[1]), 1);
        remove(...args);
      },
    });
    await runTool(
      slow(() => 1),
      CALL,
      context,
    );
    expect(added).toEqual([]);
  });
});
