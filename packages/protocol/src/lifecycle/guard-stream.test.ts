import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Clock } from "../clock.js";
import { LATE_MESSAGES_MAX } from "../limits.js";
import type { ViolationDetails } from "./spec.js";
import type { Note } from "./testing/notes-route.js";
import { note, produce, read, spec } from "./testing/notes-route.js";

test("a stream in order passes a spec of our own unchanged, to its own end [L-26] [L-41] [L-16]", async () => {
  const messages = [note("log"), note("hello"), note("data"), note("log"), note("data"), note("bye")];
  const { seen, reports } = await read(produce(messages).source);
  expect(seen).toEqual(messages);
  expect(reports).toEqual([]);
});

test("no started message is needed, and a stream may end from its prelude [L-9]", async () => {
  expect((await read(produce([note("bye")]).source)).types).toEqual(["bye"]);
  expect((await read(produce([note("log"), note("bye")]).source)).types).toEqual(["log", "bye"]);
});

describe("a violation becomes the terminal and the producer is let go [L-30]:", () => {
  test("a first message that the prelude does not know [L-27]", async () => {
    const { source, diary } = produce([note("data"), note("bye")]);
    const { seen, reports } = await read(source);
    expect(seen).toEqual([{ type: "bye", says: "data not allowed in prelude" }]);
    const details: ViolationDetails = {
      route: "notes",
      phase: "prelude",
      message_type: "data",
      index: 0,
      message: "data not allowed in prelude",
    };
    expect(reports).toEqual([{ kind: "violation", route: "notes", details }]);
    await vi.waitFor(() => expect(diary).toEqual(["released"]));
  });

  test("a prelude message after the first data [L-28]", async () => {
    const { seen, reports } = await read(produce([note("hello"), note("data"), note("hello")]).source);
    expect(seen.at(-1)).toEqual({ type: "bye", says: "hello not allowed in streaming" });
    expect(reports).toMatchObject([{ kind: "violation", details: { phase: "streaming", index: 2 } }]);
  });

  test("a message of no known type, and something that is no message at all", async () => {
    for (const stranger of [note("gossip"), null, 7, "data", [], {}, { type: 7 }]) {
      const { types, reports } = await read(produce([note("hello"), stranger]).source);
      expect(types).toEqual(["hello", "bye"]);
      expect(reports).toMatchObject([{ kind: "violation" }]);
    }
  });

  test("a message may explain it before the terminal, which stays last [L-54] [L-36]", async () => {
    const explain = ({ message }: ViolationDetails) => ({ type: "log", says: message });
    const { seen } = await read(produce([note("data")]).source, { explain });
    expect(seen).toEqual([
      { type: "log", says: "data not allowed in prelude" },
      { type: "bye", says: "data not allowed in prelude" },
    ]);
  });
});

describe("an exception becomes the terminal [L-31]:", () => {
  test("after several good messages [L-45]", async () => {
    const boom = new Error("db-1.internal is down");
    const { seen, reports } = await read(produce([note("hello"), note("data")], boom).source);
    expect(seen).toEqual([note("hello"), note("data"), { type: "bye", says: "failed" }]);
    expect(reports).toEqual([{ kind: "thrown", route: "notes", error: boom }]);
  });

  test("before any message, from next, from the iterator itself, and from a spec that throws [L-48]", async () => {
    const sources: AsyncIterable<Note>[] = [
      produce([], new Error("x")).source,
      { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("x")) }) },
      {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            throw new Error("x");
          },
        }),
      },
      {
        [Symbol.asyncIterator]: () => {
          throw new Error("x");
        },
      },
      {} as AsyncIterable<Note>,
      null as unknown as AsyncIterable<Note>,
    ];
    for (const source of sources) expect((await read(source)).types).toEqual(["bye"]);
    const allow_in_prelude = () => {
      throw new Error("x");
    };
    expect((await read(produce([note("hello")]).source, {}, { ...spec, allow_in_prelude })).types).toEqual(["bye"]);
  });
});

test("a producer that ends in silence is ended by the spec: its own way if it has one, else as a violation [L-60]", async () => {
  const { seen, reports } = await read(produce([note("hello")]).source);
  expect(seen).toEqual([note("hello"), { type: "bye", says: "stream ended in prelude without a terminal" }]);
  expect(reports).toMatchObject([{ kind: "silent_end", details: { message_type: "(end)", index: 1 } }]);
  const own = { ...spec, on_silent_end: () => ({ type: "bye", says: "complete" }) };
  expect((await read(produce([note("hello"), note("data")]).source, {}, own)).seen.at(-1)).toEqual({
    type: "bye",
    says: "complete",
  });
});

describe("after the terminal", () => {
  test("a second one and every other message are dropped and reported [L-29] [L-43] [L-44]", async () => {
    const { source, diary } = produce([note("hello"), note("bye"), note("bye"), note("data")]);
    const { types, reports } = await read(source);
    expect(types).toEqual(["hello", "bye"]);
    await vi.waitFor(() => expect(diary).toEqual(["finished", "released"]));
    expect(reports).toEqual([
      { kind: "late", route: "notes", message_type: "bye" },
      { kind: "late", route: "notes", message_type: "data" },
    ]);
  });

  test("the reader is done at once although the producer hangs, which is let go at a deadline [L-8]", async () => {
    const timers: (() => void)[] = [];
    const schedule = (_: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    };
    const clock: Clock = { now: () => 0, schedule };
    const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
    const answers = [note("hello"), note("bye")].map((value) => Promise.resolve({ done: false as const, value }));
    const next = () => answers.shift() ?? new Promise<never>(() => undefined);
    const source = { [Symbol.asyncIterator]: () => ({ next, return: returned }) };
    expect((await read(source, { clock })).types).toEqual(["hello", "bye"]);
    expect(returned).not.toHaveBeenCalled();
    for (const fire of timers) fire();
    expect(returned).toHaveBeenCalledTimes(1);
  });

  test("a producer that never stops talking is let go after a few messages", async () => {
    const endless = produce([note("hello"), note("bye"), ...Array.from({ length: 1000 }, () => note("data"))]);
    const { reports } = await read(endless.source);
    await vi.waitFor(() => expect(endless.diary).toEqual(["released"]));
    expect(reports).toHaveLength(LATE_MESSAGES_MAX);
  });

  test("a producer that throws is heard by the operator and not by the reader", async () => {
    const boom = new Error("late");
    const { types, reports } = await read(produce([note("bye")], boom).source);
    expect(types).toEqual(["bye"]);
    await vi.waitFor(() => expect(reports).toEqual([{ kind: "release_failed", route: "notes", error: boom }]));
  });
});

test("a message may mean the end, which then follows at once [L-59] [I-8]", async () => {
  const own = { ...spec, ends_after: ({ type }: Note) => (type === "log" ? note("bye") : undefined) };
  const { source, diary } = produce([note("hello"), note("log"), note("data")]);
  const { types, reports } = await read(source, {}, own);
  expect(types).toEqual(["hello", "log", "bye"]);
  await vi.waitFor(() => expect(diary).toContain("released"));
  expect(reports).toEqual([{ kind: "late", route: "notes", message_type: "data" }]);
});

test("a spec whose ending is no terminal is a bug of the spec and says so", async () => {
  const own = { ...spec, on_violation: () => note("data") };
  await expect(read(produce([note("data")]).source, {}, own)).rejects.toMatchObject({ code: "INVARIANT_VIOLATION" });
});

test("whatever a producer does, the reader gets legal messages and exactly one terminal, last [L-16] [L-29] [L-34]", async () => {
  const messages = fc.array(fc.constantFrom("hello", "log", "data", "bye", "gossip").map(note), { maxLength: 12 });
  const endings = fc.constantFrom("return" as const, new Error("x"));
  await fc.assert(
    fc.asyncProperty(messages, endings, async (sent, ending) => {
      const { source, diary } = produce(sent, ending);
      const { types } = await read(source);
      expect(types.filter((type) => type === "bye")).toHaveLength(1);
      expect(types.at(-1)).toBe("bye");
      const body = types.slice(0, -1).join(" ");
      expect(body === "" || /^(hello|log)( hello| log)*( data( data| log)*)?$/.test(body)).toBe(true);
      expect(sent.slice(0, types.length - 1).map(({ type }) => type)).toEqual(types.slice(0, -1));
      await new Promise((resolve) => setImmediate(resolve));
      expect(diary).toContain("released");
    }),
    { numRuns: process.env.FRAMERAIL_LONG ? 100_000 : 2_000 },
  );
});
