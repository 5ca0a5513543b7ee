import { describe, expect, test, vi } from "vitest";
import type { StreamReport } from "./guard-stream.js";
import { guardStream } from "./guard-stream.js";
import { note, produce, read, spec } from "./testing/notes-route.js";

describe("when the reader leaves", () => {
  test("the producer is let go, and not twice [L-32]", async () => {
    const { source, diary } = produce([note("hello"), note("data"), note("data")]);
    for await (const message of guardStream(spec, source)) if (message.type === "data") break;
    await vi.waitFor(() => expect(diary).toEqual(["released"]));
  });

  test("a producer that is done is not let go again, and one that is let go is so once", async () => {
    for (const messages of [[note("bye")], [note("hello")], [note("bye"), note("late")]]) {
      const timers: (() => void)[] = [];
      const schedule = (_: number, callback: () => void) => {
        timers.push(callback);
        return () => undefined;
      };
      const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
      const left = [...messages];
      const next = async () => {
        const value = left.shift();
        return value ? { done: false as const, value } : { done: true as const, value: undefined };
      };
      await read({ [Symbol.asyncIterator]: () => ({ next, return: returned }) }, { clock: { now: () => 0, schedule } });
      await new Promise((resolve) => setImmediate(resolve));
      for (const fire of timers) fire();
      expect(returned).not.toHaveBeenCalled();
    }
  });

  test("a producer that fails while it is let go is reported", async () => {
    const boom = new Error("cannot close");
    for (const close of [
      () => Promise.reject(boom),
      () => {
        throw boom;
      },
    ]) {
      const reports: StreamReport[] = [];
      const source = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false as const, value: note("hello") }),
          return: close,
        }),
      };
      for await (const _ of guardStream(spec, source, { onReport: (report) => reports.push(report) })) break;
      await vi.waitFor(() => expect(reports).toEqual([{ kind: "release_failed", route: "notes", error: boom }]));
    }
  });

  test("an abort ends a stuck stream at once: with the spec's terminal, or silently [L-46] [L-53]", async () => {
    for (const own of [spec, { ...spec, on_abort: () => ({ type: "bye", says: "aborted" }) }]) {
      const abort = new AbortController();
      const { source } = produce([note("hello")], "hang");
      const reading = read(source, { signal: abort.signal }, own);
      await new Promise((resolve) => setTimeout(resolve, 5));
      abort.abort("enough");
      const { seen, reports } = await reading;
      expect(seen).toEqual("on_abort" in own ? [note("hello"), { type: "bye", says: "aborted" }] : [note("hello")]);
      expect(reports).toEqual([{ kind: "aborted", route: "notes", reason: "enough" }]);
    }
  });

  test("an abort before the start pulls nothing, and one listener serves the whole stream", async () => {
    const abort = new AbortController();
    const listen = vi.spyOn(abort.signal, "addEventListener");
    const forget = vi.spyOn(abort.signal, "removeEventListener");
    const many = Array.from({ length: 50 }, () => note("log"));
    await read(produce([...many, note("bye")]).source, { signal: abort.signal });
    expect(listen).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(forget).toHaveBeenCalled());
    abort.abort();
    const next = vi.fn();
    const { types } = await read({ [Symbol.asyncIterator]: () => ({ next }) }, { signal: abort.signal });
    expect(types).toEqual([]);
    expect(next).not.toHaveBeenCalled();
  });

  test("what a producer throws after an abort is reported", async () => {
    const abort = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const next = () =>
      new Promise<never>((_, reject) => {
        fail = reject;
      });
    const reading = read({ [Symbol.asyncIterator]: () => ({ next }) }, { signal: abort.signal });
    await Promise.resolve();
    abort.abort();
    const { reports } = await reading;
    fail(new Error("too late"));
    await vi.waitFor(() => expect(reports.map(({ kind }) => kind)).toEqual(["aborted", "release_failed"]));
  });
});
