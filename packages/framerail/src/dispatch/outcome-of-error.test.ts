import type { ErrorCode, TurnOutcome } from "@framerail/protocol";
import { ERROR_CODES, FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { IDLE, outcomeOfError } from "./outcome-of-error.js";

const failed = (cause: "application" | "deadline" | "protocol_violation" | "invariant_violation") =>
  ({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause }) as const;

/** What has a meaning of its own; every other code is a failure of the application. */
const MEANINGS: Partial<Record<ErrorCode, TurnOutcome>> = {
  CANCELLED: { kind: "cancelled", code: "REQUEST_CANCELLED" },
  RATE_LIMITED: { kind: "failed", error: { code: "RATE_LIMIT_ERROR" }, cause: "application" },
  DEADLINE_EXCEEDED: failed("deadline"),
  PROTOCOL_VIOLATION: failed("protocol_violation"),
  INVARIANT_VIOLATION: failed("invariant_violation"),
  PACE_EXCEEDED: failed("invariant_violation"),
  BUDGET_EXHAUSTED: { kind: "paused", limit: "state_limit" },
};

test.each(ERROR_CODES)(
  "%s means one thing for a turn, and carries no text of the error [W-ERR-1] [W-ERR-2] [C-24]",
  (code) => {
    const outcome = outcomeOfError(new FramerailError(code, "CANARY at /srv/app", { cause: new Error("CANARY") }));
    expect(outcome).toEqual(MEANINGS[code] ?? failed("application"));
  },
);

test.each([new Error("CANARY"), "CANARY", undefined, null, { code: "RATE_LIMITED" }, { code: "CANCELLED" }])(
  "something thrown that is no error of ours, %j, is a failure of the application [W-ERR-1]",
  (thrown) => {
    expect(outcomeOfError(thrown)).toEqual(failed("application"));
  },
);

test("a cancel for silence is told from a reader's [W-ERR-6] [C-24]", () => {
  const silent = new FramerailError("CANCELLED", "x", { cause: IDLE });
  expect(outcomeOfError(silent)).toEqual({ kind: "cancelled", code: "IDLE_TIMEOUT" });
});

test("a sub-agent's failure names it when it has a name, and is a plain failure when not [W-ERR-3]", () => {
  const named = (sub_agent_id: unknown) =>
    Object.assign(new FramerailError("SUB_AGENT_FAILED", "CANARY"), { sub_agent_id });
  expect(outcomeOfError(named("shop"))).toEqual({
    kind: "failed",
    error: { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" },
    cause: "application",
  });
  for (const nobody of [undefined, 7, { id: "shop" }])
    expect(outcomeOfError(named(nobody))).toEqual(failed("application"));
});
