import type { FramerailError } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { agentOf, play, recordEvents, tick } from "../dispatch/testing/turn-bench.js";
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

  test("outside a turn `writer()` throws a typed error and writes nowhere [W-SW-4]", () => {
    expect(() => writer()).toThrow(expect.objectContaining({ code: "NO_TURN" }));
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

  test("a tap that throws is reported and costs nobody anything [W-FR-15]", async () => {
    const { events, tap } = recordEvents();
    const bad = () => {
      throw new Error("history is away");
    };
    const { outcome, reports } = await play(
      agentOf(async ({ writer: own }) => own.text("x")),
      { taps: [bad, tap] },
    );
    expect(outcome.kind).toBe("completed");
    expect(events.map(({ event }) => event.type)).toEqual(["init_stream", "text"]);
    expect(reports.map(({ kind }) => kind)).toEqual(["tap_failed", "tap_failed"]);
  });
});
