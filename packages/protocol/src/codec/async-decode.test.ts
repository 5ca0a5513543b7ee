import { describe, expect, test } from "vitest";
import type { ByteSource } from "./async-decode.js";
import { decodeNdjson, decodeSse } from "./async-decode.js";
import { toBytes } from "./testing/cuts.js";

/** A source that tells how it was left. */
function createSource(parts: readonly (string | Error)[]) {
  const seen = { pulled: 0, returned: 0 };
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const part = parts[seen.pulled];
        seen.pulled += 1;
        if (part instanceof Error) throw part;
        return part === undefined ? { done: true, value: undefined } : { done: false, value: toBytes(part) };
      },
      async return() {
        seen.returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  return { source, seen };
}

/** A web stream without async iteration, as in browsers that lack it. */
function createStream(parts: readonly (string | Error)[], onCancel = () => Promise.resolve()) {
  const seen = { cancelled: 0 };
  let at = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const part = parts[at];
        at += 1;
        if (part === undefined) controller.close();
        else if (part instanceof Error) controller.error(part);
        else controller.enqueue(toBytes(part));
      },
      cancel() {
        seen.cancelled += 1;
        return onCancel();
      },
    },
    { highWaterMark: 0 },
  );
  Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
  return { stream, seen };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<{ items: Item[]; error: unknown }> {
  const got: Item[] = [];
  try {
    for await (const item of items) got.push(item);
  } catch (error) {
    return { items: got, error };
  }
  return { items: got, error: undefined };
}

const data = (items: readonly { readonly data: string }[]) => items.map((item) => item.data);

describe("a source that ends", () => {
  test("gives its events and lines in order [W-FR-14]", async () => {
    const sse = await collect(decodeSse(createSource(["data: 1\n", "\ndata: 2\n\ndata: 3\n\n"]).source));
    expect([data(sse.items), sse.error]).toEqual([["1", "2", "3"], undefined]);
    const ndjson = await collect(decodeNdjson(createSource(["1", "2\n3\n\n", "4\n"]).source));
    expect([ndjson.items, ndjson.error]).toEqual([["12", "3", "4"], undefined]);
  });

  test("in the middle of an event is normal for SSE, unless a clean end is required", async () => {
    const parts = ["data: 1\n\ndata: 2\n"];
    expect(await collect(decodeSse(createSource(parts).source))).toMatchObject({
      items: [{ data: "1" }],
      error: undefined,
    });
    expect(await collect(decodeSse(createSource(parts).source, { requireCleanEnd: true }))).toMatchObject({
      items: [{ data: "1" }],
      error: { code: "STREAM_TRUNCATED" },
    });
  });

  test("in the middle of a line is an error for NDJSON after all whole lines, unless it is allowed or accepted", async () => {
    const parts = ["1\n2\n3"];
    expect(await collect(decodeNdjson(createSource(parts).source))).toMatchObject({
      items: ["1", "2"],
      error: { code: "STREAM_TRUNCATED" },
    });
    expect(await collect(decodeNdjson(createSource(parts).source, { requireCleanEnd: false }))).toEqual({
      items: ["1", "2"],
      error: undefined,
    });
    expect(await collect(decodeNdjson(createSource(parts).source, { acceptLastLine: true }))).toEqual({
      items: ["1", "2", "3"],
      error: undefined,
    });
  });

  test("calls the other callbacks on the way", async () => {
    const seen: unknown[] = [];
    const note = (value: unknown) => seen.push(value);
    await collect(decodeSse(createSource([": a\nretry: 5\n"]).source, { onComment: note, onRetry: note }));
    await collect(decodeNdjson(createSource(["\n"]).source, { onHeartbeat: () => note("beat") }));
    expect(seen).toEqual(["a", 5, "beat"]);
  });
});

describe("leaving", () => {
  test("the loop early returns the source, and nothing more is pulled", async () => {
    const { source, seen } = createSource(["data: 1\n\ndata: 2\n\n", "data: 3\n\n"]);
    for await (const event of decodeSse(source)) {
      expect(event.data).toBe("1");
      break;
    }
    expect(seen).toEqual({ pulled: 1, returned: 1 });
  });

  test("because of too long an input gives out what was whole before it and returns the source", async () => {
    for (const parts of [[`data: 1\n\n${"x".repeat(30)}`], ["data: 1\n\n", "x".repeat(30)]]) {
      const { source, seen } = createSource(parts);
      const got = await collect(decodeSse(source, { bytesMax: 20 }));
      expect(got).toMatchObject({ items: [{ data: "1" }], error: { code: "INPUT_TOO_LARGE" } });
      expect(seen.returned).toBe(1);
    }
  });

  test("because the source failed gives out what was whole and passes its error unchanged", async () => {
    const failure = new Error("reset");
    const got = await collect(decodeNdjson(createSource(["1\n2", failure]).source));
    expect(got.items).toEqual(["1"]);
    expect(got.error).toBe(failure);
  });
});

describe("a web stream without async iteration", () => {
  test("is read to its end and unlocked", async () => {
    const { stream, seen } = createStream(["data: 1\n\n", "data: 2\n\n"]);
    expect(data((await collect(decodeSse(stream))).items)).toEqual(["1", "2"]);
    expect([stream.locked, seen.cancelled]).toEqual([false, 0]);
  });

  test("is cancelled and unlocked when the loop is left early", async () => {
    const { stream, seen } = createStream(["1\n", "2\n", "3\n"]);
    for await (const line of decodeNdjson(stream)) if (line === "2") break;
    expect([stream.locked, seen.cancelled]).toEqual([false, 1]);
  });

  test("is cancelled and unlocked when its input is refused", async () => {
    const { stream, seen } = createStream(["x".repeat(30), "more"]);
    const got = await collect(decodeNdjson(stream, { bytesMax: 20 }));
    expect(got.error).toMatchObject({ code: "INPUT_TOO_LARGE" });
    expect([stream.locked, seen.cancelled]).toEqual([false, 1]);
  });

  test("that fails passes its error and is unlocked", async () => {
    const failure = new Error("reset");
    const { stream, seen } = createStream(["1\n", failure]);
    expect(await collect(decodeNdjson(stream))).toEqual({ items: ["1"], error: failure });
    expect([stream.locked, seen.cancelled]).toEqual([false, 0]);
  });

  test("that is cancelled with an error is unlocked all the same", async () => {
    const failure = new Error("cannot cancel");
    const { stream } = createStream(["1\n", "2\n"], () => Promise.reject(failure));
    const lines = decodeNdjson(stream);
    await lines.next();
    await expect(lines.return()).rejects.toBe(failure);
    expect(stream.locked).toBe(false);
  });
});

describe("what is no source of bytes", () => {
  test("is refused when it is no stream at all, or options are none", () => {
    for (const wrong of [null, undefined, 5, "data: a\n\n", {}, [toBytes("1\n")]]) {
      expect(() => decodeSse(wrong as unknown as ByteSource)).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
      expect(() => decodeNdjson(wrong as unknown as ByteSource)).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
    }
    expect(() => decodeSse(createSource([]).source, null as never)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
    expect(() => decodeNdjson(createSource([]).source, null as never)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  test("is refused when another reader holds it, and left alone", async () => {
    const { stream, seen } = createStream(["1\n"]);
    stream.getReader();
    expect((await collect(decodeNdjson(stream))).error).toMatchObject({
      code: "INVALID_ARGUMENT",
      issue: { rule: "locked" },
    });
    expect([stream.locked, seen.cancelled]).toEqual([true, 0]);
  });

  test("is refused when its pieces are not bytes", async () => {
    async function* strings() {
      yield "1\n";
    }
    const got = await collect(decodeNdjson(strings() as unknown as ByteSource));
    expect(got.error).toMatchObject({ code: "INVALID_ARGUMENT", issue: { path: "chunk" } });
  });
});
