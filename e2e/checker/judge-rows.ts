// What must hold between rows, clients and the model: an end that was told is stored (I6), calls are paid for (I7),
// nothing stays reserved (I8), a cancel reaches the model (I15), what was accepted is there and ends (I16, I20).

import type { ModelCallLog } from "../harness/fake-model.js";
import { logOf } from "./frame.js";
import type { History, StoredTurn, Violation } from "./history.js";

/** From the cancel to the closed request. */
const CLOSE_MS_MAX = 250;

export function judgeRows(history: History): Violation[] {
  const { turns, accepted, cancels, modelCalls } = history;
  const found: Violation[] = [];
  for (const turn of turns) {
    const { turnId } = turn;
    const calls = callsOf(turn, modelCalls);
    const says = [...judgeMessage(turn), ...judgeUsage(turn, calls), ...judgeBudget(turn)];
    for (const cancel of cancels) if (cancel.turnId === turnId) says.push(...judgeCancel(turn, calls, cancel.at));
    for (const [invariant, text] of says) found.push({ invariant, turnId, says: text });
  }
  const byId = new Map(turns.map((turn) => [turn.turnId, turn]));
  for (const turnId of accepted) {
    const status = byId.get(turnId)?.status;
    if (status === undefined || status === "refused") {
      found.push({ invariant: "I20", turnId, says: `it was accepted, and its row says ${status ?? "nothing"}` });
    }
  }
  // Also one that nobody was told of: it would keep its session from every other.
  for (const { turnId, status } of turns) {
    if (status === "ended" || status === "refused") continue;
    found.push({ invariant: "I16", turnId, says: `it has not ended: its row says ${status}` });
  }
  return found;
}

/** Every message of a run is its own, so that the model's log tells whose call it was. */
function callsOf({ messages }: StoredTurn, modelCalls: readonly ModelCallLog[]): ModelCallLog[] {
  const said = messages.find(({ role }) => role === "user")?.text;
  return said === undefined || said === "" ? [] : modelCalls.filter(({ asked }) => asked.includes(said));
}

function judgeMessage(turn: StoredTurn): [string, string][] {
  const { status, messages, outcome, audit, turnId } = turn;
  if (status !== "ended") return [];
  const found: [string, string][] = [];
  const answers = messages.filter(({ role }) => role === "assistant");
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) return [["I6", `it has ended with ${answers.length} answers`]];
  const told = logOf(turn).map(({ type, body }) => (type === "text" ? (body.chunk ?? "") : ""));
  if (answer.text !== told.join("")) found.push(["I6", "the stored answer is not what its frames said"]);
  if (answer.incomplete !== (outcome?.kind !== "completed")) {
    found.push(["I6", `it ended as ${outcome?.kind}, and its answer says incomplete: ${answer.incomplete}`]);
  }
  if (!audit.some(({ id, actionType }) => id === turnId && actionType === "message_received")) {
    found.push(["I6", "the audit log does not have the message that began it"]);
  }
  if (!audit.some(({ actionType }) => actionType === "message_completed")) {
    found.push(["I6", "the audit log does not have its end"]);
  }
  return found;
}

function judgeUsage({ status, epoch, usage }: StoredTurn, calls: readonly ModelCallLog[]): [string, string][] {
  if (status !== "ended") return [];
  const found: [string, string][] = [];
  const cutShort = calls.filter(({ end }) => end !== "done").length;
  const estimated = usage.filter((row) => row.estimated).length;
  // Of a turn that changed hands nobody can know whether its last call still reached the model; what may have been spent
  // is accounted for, and marked.
  const mayBeUnsent = epoch > 1 && usage.length === calls.length + 1 && estimated > cutShort;
  if (usage.length !== calls.length && !mayBeUnsent) {
    found.push(["I7", `the model was asked ${calls.length} times, and ${usage.length} calls are accounted for`]);
  }
  if (estimated < Math.min(cutShort, usage.length)) {
    found.push(["I7", `${cutShort} calls were cut short, and ${estimated} are marked as estimated`]);
  }
  return found;
}

function judgeBudget({ status, reservedTokens }: StoredTurn): [string, string][] {
  if (status !== "ended" || reservedTokens === 0) return [];
  return [["I8", `${reservedTokens} tokens are still reserved for it`]];
}

function judgeCancel(turn: StoredTurn, calls: readonly ModelCallLog[], at: number): [string, string][] {
  const found: [string, string][] = [];
  if (turn.outcome?.kind !== "cancelled") found.push(["I15", `it was cancelled, and ended as ${turn.outcome?.kind}`]);
  for (const call of calls) {
    const tookMs = (call.endedAt ?? Number.POSITIVE_INFINITY) - at;
    if (tookMs > CLOSE_MS_MAX) found.push(["I15", `the model's request was closed ${tookMs} ms after the cancel`]);
  }
  return found;
}
