import type { AgentEvent, Json, TurnOutcome } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { AuditRow } from "../store/audit.js";
import { FINAL_RESPONSE_BYTES_MAX } from "./limits.js";
import { auditRowsOfTurn, hashJson } from "./turn-audit.js";

const SECRET = "card 4111 1111";
const COMPLETED: TurnOutcome = { kind: "completed" };

const call = (tool_call_id: string, args: Json = {}): AgentEvent => ({
  type: "tool_call",
  tool_call_id,
  tool_name: "pay",
  arguments: args,
  timestamp: 1_500,
});
const result = (tool_call_id: string, value: Json, is_error = false): AgentEvent => ({
  type: "tool_result",
  tool_call_id,
  result: value,
  is_error,
  duration_ms: 40,
});
const end = (tool_call_id: string, status?: "cancelled" | "unknown"): AgentEvent => ({
  type: "tool_call_end",
  tool_call_id,
  tool_name: "pay",
  ...(status && { status }),
});

function rowsOf(events: readonly AgentEvent[], outcome = COMPLETED, answer = ""): AuditRow[] {
  const ids = ["id-1", "id-2", "id-3", "id-4", "id-5", "id-6", "id-7"];
  const newId = () => ids.shift() as string;
  const turn = { sessionId: "s", turnId: "t", rootId: "root", messageId: "msg_1", receivedAt: 1_000, newId };
  return auditRowsOfTurn(turn, events, { outcome, answer, endedAt: 3_000 });
}

describe("the audit rows of a turn", () => {
  test("are the message, one row per tool, and the end, all children of the message [R-15.6-3, I-14]", () => {
    const rows = rowsOf([call("a"), result("a", { ok: 1 }), end("a"), call("b"), end("b")]);
    expect(rows.map(({ actionType, parentId }) => [actionType, parentId])).toEqual([
      ["message_received", null],
      ["tool_call", "root"],
      ["tool_call", "root"],
      ["message_completed", "root"],
    ]);
    expect(rows[0]).toEqual({
      id: "root",
      sessionId: "s",
      turnId: "t",
      actionType: "message_received",
      parentId: null,
      detail: { message_id: "msg_1" },
      durationMs: null,
      occurredAt: 1_000,
    });
    expect(rows.slice(1).map(({ occurredAt, durationMs }) => [occurredAt, durationMs])).toEqual([
      [1_500, 40],
      [1_500, null],
      [3_000, 2_000],
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
  });

  test("the closing row has the whole answer and how the turn ended [R-3.2-10]", () => {
    const closing = (outcome: TurnOutcome) => rowsOf([], outcome, "Hello").at(-1)?.detail;
    expect(closing(COMPLETED)).toEqual({ outcome: { kind: "completed" }, final_response: "Hello" });
    expect(closing({ kind: "cancelled", code: "USER_CANCELLED" as never })).toMatchObject({
      outcome: { kind: "cancelled", code: "USER_CANCELLED" },
    });
    expect(closing({ kind: "paused", limit: "time_limit" })).toMatchObject({
      outcome: { kind: "paused", limit: "time_limit" },
    });
    expect(closing({ kind: "failed", error: { code: "INTERNAL_ERROR" }, cause: "deadline" })).toMatchObject({
      outcome: { kind: "failed", code: "INTERNAL_ERROR", cause: "deadline" },
    });
  });

  test("an answer beyond the bound is cut with a sign, and one at the bound is whole [R-3.2-10]", () => {
    const closing = (answer: string) => rowsOf([], COMPLETED, answer).at(-1)?.detail.final_response as string;
    const whole = "x".repeat(FINAL_RESPONSE_BYTES_MAX);
    expect(closing(whole)).toBe(whole);
    const cut = closing(`${whole}y`);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(FINAL_RESPONSE_BYTES_MAX);
    expect(cut.endsWith("…(truncated)")).toBe(true);
    expect(Buffer.byteLength(closing("😀".repeat(1_000_000)))).toBeLessThanOrEqual(FINAL_RESPONSE_BYTES_MAX);
  });

  test("a tool's row has a hash of what went in and the shape of what came out, and neither itself [C-15]", () => {
    const args = { number: SECRET, nested: [{ [SECRET]: 1 }] };
    const rows = rowsOf([call("a", args), result("a", { [SECRET]: SECRET }), end("a")]);
    expect(rows[1]?.detail).toEqual({
      tool_name: "pay",
      tool_call_id: "a",
      params_hash: hashJson(args),
      output_summary: { status: "succeeded", type: "object", bytes: 35 },
    });
    expect(JSON.stringify(rows)).not.toContain("4111");
  });

  test("every tool has its status, also one that never came back [R-15.6-3]", () => {
    const rows = rowsOf([
      ...[call("ok"), result("ok", null), end("ok")],
      ...[call("bad"), result("bad", [], true), end("bad")],
      ...[call("cut"), end("cut", "cancelled")],
      ...[call("lost"), end("lost", "unknown")],
      ...[call("mute"), end("mute")],
      call("open"),
      ...[result("nobody", 1), end("nobody")],
    ]);
    const summaries = rows.slice(1, -1).map(({ detail }) => detail.output_summary as { status: string; type?: string });
    expect(summaries.map(({ status, type }) => [status, type])).toEqual([
      ["succeeded", "null"],
      ["failed", "array"],
      ["cancelled", undefined],
      ["unknown", undefined],
      ["ended", undefined],
      ["unknown", undefined],
    ]);
  });

  test("the same arguments have one hash however their keys are ordered, and others have another [C-15]", () => {
    expect(hashJson({ a: 1, b: [{ c: 1, d: 2 }] })).toBe(hashJson({ b: [{ d: 2, c: 1 }], a: 1 }));
    const different: Json[] = [{ a: [1, 2] }, { a: [2, 1] }, { a: "1" }, { a: 1 }, [["a", 1]], { 1: 1, 10: 1 }, null];
    expect(new Set(different.map(hashJson)).size).toBe(different.length);
  });
});
