import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { play, start, tick } from "../dispatch/testing/turn-bench.js";
import type { ModelAgentOptions } from "./define-agent.js";
import { defineAgent } from "./define-agent.js";
import type { PriceTable } from "./model/price-table.js";
import { defineSubAgent } from "./sub-agent.js";
import { saysWhole, tool } from "./testing/scripted.js";
import { defineRenderTool } from "./tool/render-tool.js";

const DOWN = new Error("the author's service is down");
const rejects = (): never => Promise.reject(DOWN) as never;

const unheard: unknown[] = [];
const hear = (error: unknown) => void unheard.push(error);
beforeEach(() => void process.on("unhandledRejection", hear));
afterEach(() => {
  process.off("unhandledRejection", hear);
  unheard.length = 0;
});

describe("an author's hook that is async and rejects", () => {
  const broken = tool("look", () => {
    throw new Error("x");
  });
  const looks = () => saysWhole({ call: 1, tool_calls: [{ name: "look" }] }, { call: 2, text: "I could not look." });
  const playWith = async (options: Partial<ModelAgentOptions>) => {
    const played = await play(defineAgent({ id: "assistant", model: looks(), tools: [broken], ...options }));
    await tick();
    expect(unheard).toEqual([]);
    return played;
  };

  test("costs the turn nothing where nobody waits for it: report [P-13] [G8]", async () => {
    const { outcome } = await playWith({ report: rejects });
    expect(outcome).toEqual({ kind: "completed" });
  });

  test("leaves the call its one metrics event, without a price: prices [G9]", async () => {
    const table = (costOf: PriceTable["costOf"]): PriceTable => ({ currency: "USD", costOf });
    const throws = () => {
      throw DOWN;
    };
    for (const costOf of [rejects, throws, () => Number.NaN]) {
      const { outcome, events } = await playWith({ prices: table(costOf) });
      expect(outcome).toEqual({ kind: "completed" });
      const costs = events.flatMap(({ event }) => (event.type === "metrics" ? [event.cost] : []));
      expect(costs).toEqual([undefined, undefined]);
    }
  });

  test("fails its own turn, with a word of what is wrong, where a value is needed: compose", async () => {
    const text = (piece: string) => piece;
    for (const compose of [
      rejects,
      () => ({ push: rejects, flush: () => "" }),
      () => ({ push: text, flush: rejects }),
    ]) {
      const { outcome, failures } = await playWith({ compose, model: saysWhole({ text: "Hello" }) });
      expect(outcome).toMatchObject({ kind: "failed" });
      expect(failures).toMatchObject([{ code: "INVALID_AGENT", message: expect.stringContaining("a promise") }]);
    }
  });

  test("fails its own tool, and the loop goes on: the key of what is shown [P-13]", async () => {
    const basics = { name: "render_books", description: "d", input: z.object({}), dataType: "books" } as const;
    const shows = defineRenderTool({ ...basics, shape: "collection", key: rejects, load: () => [] });
    const model = saysWhole({ call: 1, tool_calls: [{ name: "render_books" }] }, { call: 2, text: "x" });
    const { outcome, sink } = await playWith({ tools: [shows], model });
    expect(outcome).toEqual({ kind: "completed" });
    expect(sink.types()).not.toContain("data_loading");
  });

  test("is heard of by operators, whose own ear may fail too: onCancel [W-CAN-5]", async () => {
    const wait = tool("wait", () => new Promise(() => undefined), "abort");
    const shop = defineSubAgent({
      id: "shop",
      tools: [wait],
      model: saysWhole({ tool_calls: [{ name: "wait" }] }),
      onCancel: rejects,
    });
    const model = saysWhole({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "x" } }] });
    const { turn, sink } = start(defineAgent({ id: "assistant", model, subAgents: [shop], report: rejects }));
    while (sink.types().filter((type) => type === "tool_call").length < 2) await tick();
    turn.cancel();
    expect(await turn.ended).toMatchObject({ kind: "cancelled" });
    await tick();
    expect(unheard).toEqual([]);
  });
});
