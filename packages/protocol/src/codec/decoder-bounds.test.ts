import { describe, expect, test } from "vitest";
import type { FramerailError } from "../error.js";
import { isFramerailError } from "../error.js";
import { DECODED_BYTES_CEILING, DECODED_BYTES_MAX } from "../limits.js";

import { createNdjsonDecoder } from "./ndjson-decode.js";
import { createSseDecoder } from "./sse-decode.js";
import { bytewise, manyCuts, toBytes } from "./testing/cuts.js";

interface Reader {
  push(bytes: Uint8Array): void;
  end(): { readonly clean: boolean };
}

interface Kind {
  readonly name: string;
  create(onItem: (text: string) => void, bytesMax?: number): Reader;
  /** A whole item that needs exactly `bytes` bytes to be held. */
  item(bytes: number): string;
}

const KINDS: readonly Kind[] = [
  {
    name: "SSE",
    create: (onItem, bytesMax) => createSseDecoder({ onEvent: ({ data }) => onItem(data), bytesMax }),
    item: (bytes) => `data: ${"x".repeat(bytes - 6)}\n\n`,
  },
  {
    name: "NDJSON",
    create: (onItem, bytesMax) => createNdjsonDecoder({ onLine: onItem, bytesMax }),
    item: (bytes) => `${"x".repeat(bytes)}\n`,
  },
];

const BYTES_MAX = 20;

function thrownBy(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Items before the error, and the error of the first push that threw. */
function run(kind: Kind, pieces: readonly Uint8Array[]): { items: string[]; error: FramerailError | undefined } {
  const items: string[] = [];
  const reader = kind.create((text) => items.push(text), BYTES_MAX);
  try {
    for (const piece of pieces) reader.push(piece);
  } catch (error) {
    expect(isFramerailError(error)).toBe(true);
    expect(thrownBy(() => reader.push(toBytes("\n")))).toBe(error);
    expect(thrownBy(() => reader.push(new Uint8Array(0)))).toBe(error);
    expect(reader.end().clean).toBe(false);
    return { items, error: error as FramerailError };
  }
  return { items, error: undefined };
}

describe.each(KINDS)("the bound of the $name decoder", (kind) => {
  test("an item of exactly the bound passes for every cut", () => {
    for (const pieces of manyCuts(toBytes(kind.item(BYTES_MAX).repeat(3)))) {
      const { items, error } = run(kind, pieces);
      expect(error).toBeUndefined();
      expect(items).toHaveLength(3);
    }
  });

  test("one byte more is refused after the same items for every cut, and the decoder stays dead with the same error", () => {
    const text = kind.item(BYTES_MAX) + kind.item(BYTES_MAX + 1) + kind.item(8);
    for (const pieces of manyCuts(toBytes(text))) {
      const { items, error } = run(kind, pieces);
      expect(error).toMatchObject({ code: "INPUT_TOO_LARGE", issue: { rule: "bytes_max" } });
      expect(items).toHaveLength(1);
    }
  });

  test("the refusal comes with the first byte that is too many, not with the end of the line", () => {
    const endless = kind.item(BYTES_MAX + 1).trimEnd();
    const reader = kind.create(() => {}, BYTES_MAX);
    const pieces = bytewise(toBytes(endless));
    for (const piece of pieces.slice(0, -1)) reader.push(piece);
    expect(() => reader.push(pieces.at(-1) as Uint8Array)).toThrow("more than 20 bytes");
  });

  test("the default bound is the limit's", () => {
    let items = 0;
    const count = () => {
      items += 1;
    };
    kind.create(count).push(toBytes(kind.item(DECODED_BYTES_MAX)));
    expect(items).toBe(1);
    expect(() => kind.create(() => {}).push(toBytes(kind.item(DECODED_BYTES_MAX + 1)))).toThrow("1048576 bytes");
  });

  test("a bound that is no count from one to the ceiling is refused", () => {
    for (const bytesMax of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, DECODED_BYTES_CEILING + 1, "9"]) {
      expect(() => kind.create(() => {}, bytesMax as number)).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", issue: expect.objectContaining({ path: "bytesMax" }) }),
      );
    }
    kind.create(() => {}, DECODED_BYTES_CEILING);
  });

  test("a callback that throws is heard by the pusher, and the decoder stays dead with its error", () => {
    const thrown = new Error("mine");
    let calls = 0;
    const reader = kind.create(() => {
      calls += 1;
      throw thrown;
    });
    expect(thrownBy(() => reader.push(toBytes(kind.item(8).repeat(2))))).toBe(thrown);
    expect(thrownBy(() => reader.push(toBytes(kind.item(8))))).toBe(thrown);
    expect(calls).toBe(1);
    expect(reader.end().clean).toBe(false);
  });

  test("a push from inside a callback is refused, so no line is read twice", () => {
    const seen: unknown[] = [];
    const reader = kind.create(() => {
      for (const call of [() => reader.push(toBytes("x")), () => reader.end()]) {
        try {
          call();
        } catch (error) {
          seen.push((error as FramerailError).issue?.rule);
        }
      }
    });
    reader.push(toBytes(kind.item(8)));
    expect(seen).toEqual(["reentrant", "reentrant"]);
  });

  test("after the end pushes are refused and the end stays what it was", () => {
    for (const [text, clean] of [
      [kind.item(8), true],
      [kind.item(8).trimEnd(), false],
    ] as const) {
      const reader = kind.create(() => {});
      reader.push(toBytes(text));
      expect(reader.end().clean).toBe(clean);
      expect(() => reader.push(toBytes("\n"))).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", issue: expect.objectContaining({ rule: "ended" }) }),
      );
      expect(reader.end().clean).toBe(clean);
    }
  });

  test("what is not bytes is refused and does no harm", () => {
    const items: string[] = [];
    const reader = kind.create((text) => items.push(text));
    for (const wrong of [
      "data: a\n\n",
      null,
      undefined,
      [10],
      new ArrayBuffer(1),
      new Uint16Array(1),
      new DataView(new ArrayBuffer(1)),
    ]) {
      expect(() => reader.push(wrong as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    }
    reader.push(Buffer.from(kind.item(8)));
    expect(items).toHaveLength(1);
  });

  test("options that are none are refused", () => {
    const create = kind.name === "SSE" ? createSseDecoder : createNdjsonDecoder;
    for (const wrong of [null, undefined, 5, {}, { onEvent: 1, onLine: 1 }]) {
      expect(() => create(wrong as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    }
    const callbacks = { onEvent: () => {}, onLine: () => {}, onComment: 1, onHeartbeat: 1 };
    expect(() => create(callbacks as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("a long line in pushes of one byte takes linear time", () => {
    const time = (length: number): number => {
      const pieces = bytewise(toBytes(kind.item(length)));
      const times = [0, 1, 2].map(() => {
        let items = 0;
        const reader = kind.create(() => {
          items += 1;
        });
        const from = process.cpuUsage();
        for (const piece of pieces) reader.push(piece);
        // Time on the processor, not on the wall: neighbours on the same machine do not count.
        const { user, system } = process.cpuUsage(from);
        expect(items).toBe(1);
        return user + system;
      });
      return Math.min(...times);
    };
    time(4_096);
    // Eight times the input: linear is near 8, quadratic near 64.
    expect(time(524_288) / time(65_536)).toBeLessThan(28);
  });

  test("input full of one kind of line end, or without colons, is searched a constant number of times", () => {
    let searched = 0;
    class Watched extends Uint8Array {
      override indexOf(byte: number, from = 0): number {
        const at = super.indexOf(byte, from);
        searched += (at === -1 ? this.length : at + 1) - from;
        return at;
      }
    }
    for (const line of ["\r", "\n", "\r\n", "a\r", "a\n", "data\n\n", "data\r"]) {
      const bytes = Watched.from(toBytes(line.repeat(2_000)));
      searched = 0;
      kind.create(() => {}).push(bytes);
      expect(searched, JSON.stringify(line)).toBeLessThanOrEqual(2 * bytes.length);
    }
  });
});

describe("what counts towards the bound of an SSE event", () => {
  function pushAll(text: string): () => void {
    return () => createSseDecoder({ onEvent: () => {}, bytesMax: BYTES_MAX }).push(toBytes(text));
  }

  test("the data of earlier lines counts with the line in progress", () => {
    expect(pushAll(`data:${"x".repeat(9)}\ndata:${"y".repeat(5)}\n\n`)).not.toThrow();
    expect(pushAll(`data:${"x".repeat(9)}\ndata:${"y".repeat(6)}\n\n`)).toThrow("more than 20 bytes");
  });

  test("lines of empty data count one byte each, for every cut", () => {
    for (const line of ["data\n", "data:\n"]) {
      const fit = BYTES_MAX - line.length + 2;
      expect(pushAll(`${line.repeat(fit)}\n`)).not.toThrow();
      // The line before leaves a space in memory where a value would start.
      for (const pieces of manyCuts(toBytes(`data: x\n\n${line.repeat(fit + 1)}\n`))) {
        expect(run(KINDS[0] as Kind, pieces)).toMatchObject({ items: ["x"], error: { code: "INPUT_TOO_LARGE" } });
      }
    }
  });

  test("an endless comment and an endless unknown field are refused too", () => {
    expect(pushAll(`: ${"x".repeat(18)}`)).not.toThrow();
    expect(pushAll(`: ${"x".repeat(19)}`)).toThrow("more than 20 bytes");
    expect(pushAll("x".repeat(21))).toThrow("more than 20 bytes");
  });

  test("many small events, comments and unknown fields never add up", () => {
    expect(pushAll("data: x\n\n: note\nunknown\n".repeat(100))).not.toThrow();
  });
});
