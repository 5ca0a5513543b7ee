import { describe, expect, test } from "vitest";
import { z } from "zod";
import { play, tick } from "../dispatch/testing/turn-bench.js";
import type { Composer } from "./compose.js";
import { composeText } from "./compose.js";
import { defineAgent } from "./define-agent.js";
import {
  began,
  CLOSING,
  ended,
  framesOf,
  OPENING,
  saysWhole,
  scripted,
  textOf,
  tool,
  wrote,
} from "./testing/scripted.js";
import { defineRenderTool } from "./tool/render-tool.js";
import { createWriter } from "./writer.js";

/** Holds back a word until it is whole, and never lets the secret out. */
const redact = (): Composer => {
  let held = "";
  const give = (text: string) => text.replaceAll("secret", "******");
  return {
    push(piece) {
      const text = held + piece;
      const cut = text.lastIndexOf(" ") + 1;
      held = text.slice(cut);
      return give(text.slice(0, cut));
    },
    flush() {
      const rest = held;
      held = "";
      return give(rest);
    },
  };
};

describe("composition", () => {
  test.each([1, 2, 3, 5, 100])(
    "passes over the text before it is emitted, in pieces of %i, and edits nothing that is out [W-FR-6] [D-15]",
    async (token_length) => {
      const model = scripted({ token_length, steps: [{ text: "the secret is secret" }] });
      const { sink, events } = await play(defineAgent({ id: "assistant", model, compose: redact }));
      expect(textOf(sink)).toBe("the ****** is ******");
      expect(sink.wire()).not.toContain("secret");
      // History has what the client has, piece by piece, and no piece is empty.
      const written = events.flatMap(({ event }) => (event.type === "text" ? [event.content] : []));
      expect(written).toEqual(sink.frames().flatMap((frame) => (frame.event_type === "text" ? [frame.chunk] : [])));
      expect(written).not.toContain("");
    },
  );

  test("what it holds is let out before a tool call and before what a tool shows, so that all keep their place [D-15]", async () => {
    const basics = { description: "d", input: z.object({}), load: () => ({ id: 1 }) } as const;
    const list = defineRenderTool({
      ...basics,
      name: "render_list",
      dataType: "list",
      shape: "collection",
      key: () => [],
    });
    const map = defineRenderTool({ ...basics, name: "render_map", dataType: "map", shape: "component" });
    const speaking = (other: typeof list) => ({
      ...other,
      present: (...[input, data, context]: Parameters<NonNullable<typeof list.present>>) => {
        context.writer.text("half");
        return (other.present as NonNullable<typeof list.present>)(input, data, context);
      },
    });
    const model = saysWhole(
      { call: 1, text: "one", tool_calls: [{ name: "render_list" }] },
      { call: 2, text: "two", tool_calls: [{ name: "render_map" }] },
      { call: 3, text: "three" },
    );
    const { sink } = await play(
      defineAgent({ id: "assistant", model, compose: redact, tools: [speaking(list), speaking(map)] }),
    );
    const data = { id: "call_1", type: "list", key: { ids: [] } };
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[wrote("one"), began(1, "render_list"), { event_type: "data_loading", data }],
      ...[wrote("half"), { event_type: "data_loaded", data: { ...data, items: [{ id: 1 }] } }, ended(1, "render_list")],
      ...[wrote("two"), began(2, "render_map"), wrote("half")],
      expect.objectContaining({ event_type: "component", chunk: { id: 1 } }),
      ...[ended(2, "render_map"), wrote("three")],
      ...CLOSING,
    ]);
  });

  test.each([1, 2, 3, 5])(
    "a composer that holds back the last %i characters cuts no character in half [W-FR-6] [P-6]",
    async (length) => {
      const compose = (): Composer => {
        let held = "";
        const give = (cut: number) => {
          const given = held.slice(0, cut);
          held = held.slice(cut);
          return given;
        };
        return {
          push(piece) {
            held += piece;
            return give(Math.max(0, held.length - length));
          },
          flush: () => give(held.length),
        };
      };
      const text = "Two 🍕🍕 and 😀";
      const model = scripted({ token_length: 1, steps: [{ text }] });
      const { sink, failures } = await play(defineAgent({ id: "assistant", model, compose }));
      expect(failures).toEqual([]);
      expect(textOf(sink)).toBe(text);
    },
  );

  test("half of a character that nothing follows is let out as a replacement character [P-6]", async () => {
    const compose = (): Composer => ({ push: (piece) => piece.slice(0, -1), flush: () => "" });
    const agent = defineAgent({ id: "assistant", model: saysWhole({ text: "So 😀" }), compose });
    expect(textOf((await play(agent)).sink)).toBe("So \ufffd");
  });

  test("two turns of one agent have a composer each [D-15]", async () => {
    const model = scripted({
      token_length: 2,
      steps: [{ tool_calls: [{ name: "wait" }], call: 1, text: "my own " }, { text: "secret" }],
    });
    const agent = defineAgent({ id: "assistant", model, compose: redact, tools: [tool("wait", tick)] });
    const turns = await Promise.all(Array.from({ length: 8 }, () => play(agent)));
    expect(turns.map(({ sink }) => textOf(sink))).toEqual(Array(8).fill("my own ******"));
  });

  test("a composer that throws fails the turn, and nothing it had not passed gets out [D-15]", async () => {
    const compose = (): Composer => ({
      push: () => {
        throw new Error("CANARY");
      },
      flush: () => "",
    });
    const { sink, failures } = await play(
      defineAgent({ id: "assistant", model: saysWhole({ text: "CANARY" }), compose }),
    );
    expect(framesOf(sink).at(-1)).toEqual({ event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: true });
    expect(sink.wire()).not.toContain("CANARY");
    expect(failures).toMatchObject([{ message: "CANARY" }]);
  });

  test("the pace of a composed answer is still the log's [D-6] [D-15]", async () => {
    const asked: string[] = [];
    const own = createWriter({ accept: () => undefined, ready: async () => void asked.push("ready") }, "assistant");
    await composeText(own, redact()).writer.ready();
    expect(asked).toEqual(["ready"]);
  });
});
