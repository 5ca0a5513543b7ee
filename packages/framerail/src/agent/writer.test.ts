import type { FramerailError } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { agentOf, play, recordEvents, tick } from "../dispatch/testing/turn-bench.js";
import type { Writer } from "./writer.js";
import { createWriter, runWithWriter, sinkOf, writer } from "./writer.js";

describe("the writer", () => {
  test("is the same by hand and by `writer()`, at any depth and under concurrency [W-SW-1] [W-SW-2]", async () => {
    const agent = (name: string) =>
      agentOf(async ({ writer: own }) => {
        const deep = async (depth: number): Promise<void> => {
          await tick();
          if (depth > 0) return deep(depth - 1);
          expect(writer()).toBe(own);
          writer().text(name);
        };
        await Promise.all([deep(3), deep(5), deep(1)]);
      });
    const turns = await Promise.all(["a", "b", "c"].map((name) => play(agent(name))));
    expect(
      turns.map(({ sink }) =>
        sink
          .frames()
          .flatMap((frame) => (frame.event_type === "text" ? [frame.chunk] : []))
          .join(""),
      ),
    ).toEqual(["aaa", "bbb", "ccc"]);
  });

  test("outside a turn `writer()` throws a typed error and writes nowhere, also after a turn has run [W-SW-4]", async () => {
    const outside = () => expect(() => writer().text("lost")).toThrow(expect.objectContaining({ code: "NO_TURN" }));
    outside();
    const running = play(agentOf(async () => void (await tick())));
    outside();
    const { sink } = await running;
    outside();
    expect(sink.types()).toEqual(["response_id", "completed"]);
  });

  test("a generator pulled in another turn's scope is found by the ambient writer there, so the runtime hands writers on explicitly [W-SW-1]", async () => {
    const accept = () => undefined;
    const one = createWriter({ accept, ready: () => Promise.resolve() }, "one");
    const two = createWriter({ accept, ready: () => Promise.resolve() }, "two");
    async function* pieces() {
      yield writer().emitter;
    }
    const made = runWithWriter(one, () => pieces());
    expect((await runWithWriter(two, () => made.next())).value).toBe("two");
    expect(() => sinkOf({ ...one })).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("refuses what is no event, to its caller, and the turn goes on [W-FR-3a]", async () => {
    const refused: unknown[] = [];
    const agent = agentOf(async ({ writer: own }) => {
      const tries = [
        () => own.text(7 as unknown as string),
        () => own.text("\ud800"),
        () => own.status("Searching for offers"),
        () => own.write({ type: "end_stream", status: "success", total_duration_ms: 0 }),
        () => own.write({ type: "error", message: "x" }),
        () => own.write({ type: "gossip" } as never),
        () => own.write(undefined as never),
      ];
      for (const attempt of tries) {
        try {
          attempt();
        } catch (error) {
          refused.push((error as FramerailError).code);
        }
      }
      own.text("fine");
    });
    const { sink } = await play(agent);
    expect(refused).toEqual(Array(7).fill("INVALID_EVENT"));
    expect(sink.types()).toEqual(["response_id", "text", "completed"]);
  });

  test("every write is seen once by who listens before the wire, in its order, and no sink is exported to authors [W-SW-2]", async () => {
    const door: Record<string, unknown> = await import("../index.js");
    expect(Object.keys(door).filter((name) => /sink|createWriter|publish/i.test(name))).toEqual([]);
    const call = { tool_call_id: "c1", tool_name: "n" };
    const writes: ((own: Writer) => void)[] = [
      (own) => own.thinking(),
      (own) => own.thinking("hm"),
      (own) => own.reasoning("why"),
      (own) => own.status("searching_offers"),
      (own) => own.status("searching_offers", { count: 2 }),
      (own) => own.toolCall({ ...call, arguments: {}, timestamp: 1 }),
      (own) => own.toolResult({ tool_call_id: "c1", result: 1, is_error: false, duration_ms: 1 }),
      (own) => own.toolCallEnd(call),
      (own) => own.dataLoading({ id: "d1", data_type: "list", key: { ids: [] } }),
      (own) => own.dataLoaded({ id: "d1", data_type: "list", key: { ids: [] }, items: [] }),
      (own) => own.component({ data_id: "d2", data_type: "map", chunk: {}, ...call }),
      (own) => own.log("info", "x"),
      (own) => own.text("what"),
    ];
    const agent = agentOf(async ({ writer: own }) => {
      for (const write of writes) write(own);
    });
    const { events, sink } = await play(agent);
    expect(events.slice(1).map(({ event, emitter }) => `${emitter} ${event.type}`)).toEqual(
      [
        ...["thinking", "thinking", "reasoning", "status", "status", "tool_call", "tool_result", "tool_call_end"],
        ...["data_loading", "data_loaded", "component", "log", "text"],
      ].map((type) => `assistant ${type}`),
    );
    // Results and logs stay inside; everything else has its frame.
    expect(sink.types()).toHaveLength(1 + writes.length - 2 + 1);
  });

  test("its pace is the log's [D-6]", async () => {
    const asked: string[] = [];
    const own = createWriter({ accept: () => undefined, ready: async () => void asked.push("ready") }, "assistant");
    await own.ready();
    expect(asked).toEqual(["ready"]);
  });

  test("a tap that throws is reported and costs nobody anything [W-FR-15]", async () => {
    const { events, tap } = recordEvents();
    const take = () => {
      throw new Error("history is away");
    };
    const { outcome, reports } = await play(
      agentOf(async ({ writer: own }) => own.text("x")),
      { taps: [{ take }, tap] },
    );
    expect(outcome.kind).toBe("completed");
    expect(events.map(({ event }) => event.type)).toEqual(["init_stream", "text"]);
    expect(reports.map(({ kind }) => kind)).toEqual(["tap_failed", "tap_failed"]);
  });
});
