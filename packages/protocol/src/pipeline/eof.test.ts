import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { isFramerailError } from "../error.js";
import { ENVELOPE_MESSAGE_BYTES_MAX } from "../limits.js";
import { compileCheck } from "../schema/check.js";
import { countBytes, isWellFormed } from "../schema/text.js";
import type { EofDetails, EofMessage, EofPayload, EofReason } from "./eof.js";
import {
  abortedEof,
  boundMessage,
  completeEof,
  EOF_ERROR_CODES,
  EOF_REASONS,
  eofSchema,
  errorEof,
  limitEof,
  progressPayloadSchema,
  syncStateSchema,
} from "./eof.js";

const LONG = process.env.FRAMERAIL_LONG !== undefined;
const RUNS = LONG ? 100_000 : 2_000;
const timeout = RUNS * 30;
const seeded = (seed: number) => (LONG ? {} : { seed });

const check = compileCheck(eofSchema);
const details: EofDetails = { run_progress: {}, request_progress: {} };
const error = { code: "internal_error", message: "it failed" };

/** The `has_more` values and the error that each reason goes with, written down again from the rules. */
const PAIRS: Record<EofReason, { hasMore: readonly boolean[]; error: boolean }> = {
  complete: { hasMore: [false], error: false },
  state_limit: { hasMore: [true], error: false },
  time_limit: { hasMore: [true], error: false },
  aborted: { hasMore: [true, false], error: false },
  error: { hasMore: [false], error: true },
};

function breaksAt(value: unknown): string | undefined {
  return check(value)?.path;
}

function issueOf(call: () => unknown): { code: string; path: string | undefined; rule: string | undefined } {
  try {
    call();
  } catch (caught) {
    if (isFramerailError(caught)) return { code: caught.code, path: caught.issue?.path, rule: caught.issue?.rule };
    throw caught;
  }
  throw new Error("nothing was thrown");
}

describe("the payload", () => {
  for (const reason of EOF_REASONS) {
    for (const has_more of [true, false]) {
      for (const withError of [true, false]) {
        const pair = PAIRS[reason];
        const good = pair.hasMore.includes(has_more) && pair.error === withError;
        test(`${reason} with has_more ${has_more} and ${withError ? "an" : "no"} error is ${good ? "accepted" : "refused"} [L-21, L-22, L-23, L-24, L-25]`, () => {
          const issue = check({ reason, has_more, ...(withError && { error }), ...details });
          if (good) expect(issue).toBeUndefined();
          else expect(["has_more", "error"]).toContain(issue?.path);
        });
      }
    }
  }

  test("there are five reasons and an unknown one is refused [L-18]", () => {
    expect(EOF_REASONS).toEqual(["complete", "state_limit", "time_limit", "aborted", "error"]);
    expectTypeOf<EofReason>().toEqualTypeOf<(typeof EOF_REASONS)[number]>();
    for (const reason of ["done", "", "Complete", "__proto__", "constructor"])
      expect(check({ reason, has_more: false, ...details })).toMatchObject({ path: "reason", rule: "one_of" });
  });

  test("ending_state may be absent, every other field is required and of its type [L-19, L-51]", () => {
    const whole = { reason: "complete", has_more: false, ...details };
    expect(check(whole)).toBeUndefined();
    expect(check({ ...whole, ending_state: {} })).toBeUndefined();
    for (const name of Object.keys(whole)) {
      expect(check({ ...whole, [name]: undefined })?.path, name).toBe(name);
      for (const wrong of [null, 1, "text", []]) expect(check({ ...whole, [name]: wrong })?.path, name).toBe(name);
    }
    expect(breaksAt({ ...whole, ending_state: null })).toBe("ending_state");
    expect(breaksAt({ has_more: true })).toBe("reason");
    expect(breaksAt({ reason: "complete", has_more: false })).toBe("run_progress");
  });

  test("an error has one of three codes and a message [L-20]", () => {
    const failed = (parts: object) => ({ reason: "error", has_more: false, error: parts, ...details });
    expect(EOF_ERROR_CODES).toEqual(["protocol_violation", "invariant_violation", "internal_error"]);
    for (const code of EOF_ERROR_CODES) expect(check(failed({ code, message: "" }))).toBeUndefined();
    expect(check(failed({ code: "RATE_LIMIT_ERROR", message: "" }))).toMatchObject({
      path: "error.code",
      rule: "one_of",
    });
    expect(check(failed({ code: "internal_error" }))).toMatchObject({ path: "error.message", rule: "required" });
    expect(check(failed({ code: "internal_error", message: 7 }))).toMatchObject({
      path: "error.message",
      rule: "type",
    });
  });

  test("an error message is accepted at its maximum of bytes and refused one byte above [C-17]", () => {
    const failed = (message: string) => ({
      reason: "error",
      has_more: false,
      error: { ...error, message },
      ...details,
    });
    const most = "é".repeat(ENVELOPE_MESSAGE_BYTES_MAX / 2);
    expect(check(failed(most))).toBeUndefined();
    expect(check(failed(`${most}.`))).toMatchObject({ path: "error.message", rule: "rule" });
  });

  test("a type narrows by reason, and a bare eof has no type [L-25, L-51]", () => {
    expectTypeOf<Extract<EofPayload, { reason: "error" }>["error"]["message"]>().toEqualTypeOf<string>();
    expectTypeOf<Extract<EofPayload, { reason: "complete" }>["has_more"]>().toEqualTypeOf<false>();
    expectTypeOf<{ reason: "complete"; has_more: false }>().not.toExtend<EofPayload>();
    expectTypeOf<{ has_more: true; run_progress: object; request_progress: object }>().not.toExtend<EofPayload>();
    expectTypeOf<{ reason: "complete"; has_more: true } & EofDetails>().not.toExtend<EofPayload>();
  });
});

describe("state and progress", () => {
  const checkState = compileCheck(syncStateSchema);
  const checkProgress = compileCheck(progressPayloadSchema);

  test("empty objects and additions are accepted for both [L-61]", () => {
    for (const value of [{}, { added_later: 1 }]) {
      expect(checkState(value)).toBeUndefined();
      expect(checkProgress(value)).toBeUndefined();
    }
  });

  test("a state names a checkpoint, and the cursors that clients have seen anyway [C-31, L-61]", () => {
    const state = { session_id: "s", checkpoint_key: "k", loop_iteration: 3, streams: { customer: { cursor: "c" } } };
    expect(checkState({ ...state, global: null })).toBeUndefined();
    expect(checkState({ ...state, loop_iteration: -1 })).toMatchObject({ path: "loop_iteration", rule: "minimum" });
    expect(checkState({ ...state, checkpoint_key: "" })).toMatchObject({ path: "checkpoint_key" });
    expect(checkState({ streams: JSON.parse('{"__proto__":1}') })).toMatchObject({ rule: "forbidden_key" });
  });

  test("counts are whole and not negative, and a status is a word [L-61]", () => {
    const progress = { derived: { status: "running" }, records: 2, states: 0, elapsed_ms: 9, streams: { customer: 2 } };
    expect(checkProgress(progress)).toBeUndefined();
    expect(checkProgress({ derived: { status: "warming_up" } })).toBeUndefined();
    for (const status of ["two words", "Upper", ""])
      expect(checkProgress({ derived: { status } })).toMatchObject({ path: "derived.status", rule: "one_of" });
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53, "1"])
      for (const name of ["records", "states", "elapsed_ms"]) expect(checkProgress({ [name]: wrong })?.path).toBe(name);
    expect(checkProgress({ streams: { customer: -1 } })?.path).toBe("streams.customer");
  });
});

describe("the constructors", () => {
  const every: Record<EofReason, EofMessage> = {
    complete: completeEof(details),
    state_limit: limitEof("state_limit", { ...details, ending_state: {} }),
    time_limit: limitEof("time_limit", { ...details, ending_state: {} }),
    aborted: abortedEof(details),
    error: errorEof("internal_error", "it failed"),
  };

  for (const reason of EOF_REASONS)
    test(`a stream that ends with ${reason} has a whole eof to say so [L-16, L-33, L-51]`, () => {
      const { type, eof } = every[reason];
      expect(type).toBe("eof");
      expect(check(eof)).toBeUndefined();
      expect(eof).toMatchObject({ reason, run_progress: {}, request_progress: {} });
    });

  test("an aborted stream has more when a state was kept, and only then [L-23, L-61]", () => {
    expect(abortedEof({ ...details, ending_state: { session_id: "s" } }).eof.has_more).toBe(true);
    expect(abortedEof(details).eof.has_more).toBe(false);
    expect(abortedEof(details).eof).not.toHaveProperty("ending_state");
  });

  test("a failure of which nothing is known has the whole set of keys, in the order of the wire [L-33, L-39]", () => {
    const { eof } = errorEof("protocol_violation", "record not allowed in prelude");
    const keys = ["reason", "has_more", "error", "ending_state", "run_progress", "request_progress"];
    expect(Object.keys(eof)).toEqual(keys);
    expect(eof.error).toEqual({ code: "protocol_violation", message: "record not allowed in prelude" });
    expect(eof.has_more).toBe(false);
  });

  test("a failure of which something is known says it [L-33]", () => {
    const known = { ending_state: { session_id: "s" }, run_progress: { records: 4 }, request_progress: { records: 1 } };
    expect(errorEof("internal_error", "it failed", known).eof).toMatchObject(known);
  });

  test("what is missing or wrong is named, and nothing but a typed error is thrown [L-51]", () => {
    const never = undefined as never;
    const refused = (path: string, rule: string) => ({ code: "INVALID_MESSAGE", path, rule });
    expect(issueOf(() => completeEof(never))).toEqual(refused("run_progress", "required"));
    expect(issueOf(() => abortedEof(null as never))).toEqual(refused("run_progress", "required"));
    expect(issueOf(() => completeEof({ run_progress: {} } as never))).toEqual(refused("request_progress", "required"));
    expect(issueOf(() => limitEof("complete" as never, { ...details, ending_state: {} }))).toMatchObject({
      path: "has_more",
    });
    expect(issueOf(() => errorEof("oops" as never, ""))).toEqual(refused("error.code", "one_of"));
    expect(issueOf(() => errorEof("internal_error", never))).toEqual(refused("error.message", "required"));
    expect(issueOf(() => errorEof("internal_error", new Error("raw") as never))).toMatchObject({
      path: "error.message",
    });
  });

  test("details cannot replace the reason, and fields that are none do not come along [L-51]", () => {
    const wide = { ...details, reason: "complete", has_more: true, checkpoint_bytes: "secret" };
    expect(errorEof("internal_error", "it failed", wide).eof).toEqual({
      ...{ reason: "error", has_more: false, error },
      ...details,
    });
  });
});

describe("a bounded message", () => {
  test("a long text is cut on a character and says so, in at most the maximum of bytes [C-17]", () => {
    const kept = ENVELOPE_MESSAGE_BYTES_MAX - countBytes("…(truncated)");
    expect(boundMessage("x".repeat(ENVELOPE_MESSAGE_BYTES_MAX))).toBe("x".repeat(ENVELOPE_MESSAGE_BYTES_MAX));
    expect(boundMessage("x".repeat(ENVELOPE_MESSAGE_BYTES_MAX + 1))).toBe(`${"x".repeat(kept)}…(truncated)`);
    expect(boundMessage("😀".repeat(2_000))).toBe(`${"😀".repeat(Math.floor(kept / 4))}…(truncated)`);
    expect(boundMessage("a\ud800b")).toBe("a\ufffdb");
  });

  test("any text at all becomes the message of an eof that may leave [C-17]", { timeout }, () => {
    const unit = fc.string({ unit: "binary", maxLength: 20 }).map((text) => `${text}\ud83d`);
    const text = fc.tuple(unit, fc.integer({ min: 0, max: 400 })).map(([part, times]) => part.repeat(times));
    fc.assert(
      fc.property(text, (raw) => {
        const { eof } = errorEof("internal_error", raw);
        const message = eof.error?.message as string;
        return (
          isWellFormed(message) &&
          countBytes(message) <= ENVELOPE_MESSAGE_BYTES_MAX &&
          (countBytes(raw) > ENVELOPE_MESSAGE_BYTES_MAX
            ? message.endsWith("…(truncated)") && countBytes(message) > ENVELOPE_MESSAGE_BYTES_MAX - 4
            : message.length === raw.length)
        );
      }),
      { numRuns: RUNS, ...seeded(7) },
    );
  });
});
