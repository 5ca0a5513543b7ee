import { describe, expect, test } from "vitest";
import { readWire } from "./read-wire.js";
import { collect, setUp } from "./testing/story.js";

const line = (version: string, fields: object) =>
  JSON.stringify({ version, timestamp: "2026-05-15T18:00:00.000Z", response_id: "t", seq: 3, ...fields });

describe("a frame of 0.5", () => {
  test("is taken as it is, and one of an unknown type keeps only its place [W-FR-12, W-AC-7]", () => {
    expect(readWire(line("0.5", { event_type: "text", chunk: "a", more: 1 }), "0.5")).toMatchObject({
      seq: 3,
      turnId: "t",
      frame: { event_type: "text", chunk: "a", more: 1 },
    });
    expect(readWire(line("0.5", { event_type: "hologram" }), "0.5")).toEqual({ seq: 3, turnId: "t", frame: undefined });
  });

  test("is refused when it is not what it says, or has no place", () => {
    for (const [text, code] of [
      [line("0.5", { event_type: "text" }), "INVALID_FRAME"],
      [line("0.5", { event_type: "text", chunk: "a", seq: undefined }), "INVALID_FRAME"],
      [line("0.5", { event_type: "hologram", seq: "3" }), "INVALID_FRAME"],
      ["null", "INVALID_FRAME"],
      ["{", "MALFORMED_JSON"],
    ])
      expect(() => readWire(text ?? "", "0.5"), text).toThrow(expect.objectContaining({ code }));
  });
});

describe("a frame of 0.4", () => {
  const raise = (fields: object) => readWire(line("0.4", fields), "0.4").frame;

  test("is handed over in the words of 0.5 [W-IN-4, W-MAP-6]", () => {
    const envelope = { version: "0.5", timestamp: "2026-05-15T18:00:00.000Z", response_id: "t", seq: 3 };
    expect(raise({ event_type: "text", type: "chunk", chunk: "a" })).toEqual({
      ...envelope,
      event_type: "text",
      chunk: "a",
    });
    const failed = { ...envelope, event_type: "error", error: { code: "INTERNAL_ERROR" } };
    expect(raise({ event_type: "error", error: { code: "INTERNAL_ERROR" } })).toEqual({ ...failed, is_final: true });
    expect(raise({ event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: false })).toEqual({
      ...failed,
      is_final: false,
    });
    for (const code of ["IDLE_TIMEOUT", "REQUEST_CANCELLED"])
      expect(raise({ event_type: "error", error: { code }, is_final: true })).toEqual({
        ...envelope,
        event_type: "cancelled",
        error: { code },
      });
    expect(raise({ event_type: "status", data: {} })).toBeUndefined();
  });

  test("may leave out numbers, and a whole stream of them is read over cuts [D-8, W-IN-4]", async () => {
    const script = [
      [0, { event_type: "response_id" }],
      [1, { event_type: "status", data: {} }],
      [1, { event_type: "text", type: "chunk", chunk: "a" }],
      [1, { event_type: "status", data: {} }],
      [1, { event_type: "text", type: "chunk", chunk: "b" }],
      [1, { event_type: "error", error: { code: "REQUEST_CANCELLED" }, is_final: true }],
    ] as const;
    let cut = true;
    const { clock, server, session } = setUp({
      script,
      version: "0.4",
      client: { version: "0.4" },
      fault: ({ path }) => {
        if (!path.endsWith("/turns") || !cut) return undefined;
        cut = false;
        return { kind: "break", bytes: 400 };
      },
    });
    const turn = session.send("hello");
    const frames = await clock.until(collect(turn));
    expect(frames.map(({ event_type, seq }) => `${seq} ${event_type}`)).toEqual([
      "1 response_id",
      "3 text",
      "5 text",
      "6 cancelled",
    ]);
    expect([await turn.text, await turn.outcome]).toEqual(["ab", { kind: "cancelled", code: "REQUEST_CANCELLED" }]);
    expect(server.seen.at(-1)?.headers["framerail-version"]).toBe("0.4");
  });
});
