// What must hold of a turn's log, whoever read it: one end (I1), no gap (I2), nothing behind the end (I3), closed pairs
// (I5), no word of an owner that was replaced (I9).

import type { SeenFrame } from "./frame.js";
import { logOf } from "./frame.js";
import type { StoredTurn, Violation } from "./history.js";

export function judgeLog(turn: StoredTurn): Violation[] {
  // One that was refused, or has not ended, has nothing in the store that could be wrong.
  if (turn.status !== "ended") return [];
  const log = logOf(turn);
  const says = [
    ...judgeOrder(turn, log),
    ...judgeEnd(turn, log),
    ...judgePairs(log),
    ...judgeEpochs(turn, log),
  ] satisfies [string, string][];
  return says.map(([invariant, text]) => ({ invariant, turnId: turn.turnId, says: text }));
}

function judgeOrder({ turnId, segments, lastSeq }: StoredTurn, log: readonly SeenFrame[]): [string, string][] {
  const found: [string, string][] = [];
  for (const [index, { seq, body, turnId: named }] of log.entries()) {
    if (seq !== index + 1) {
      found.push(["I2", `frame ${index + 1} of the log has seq ${seq}`]);
      break;
    }
    if (body.seq !== seq) found.push(["I2", `the id of frame ${seq} says another number than its data`]);
    if (named !== turnId || body.response_id !== turnId) found.push(["I2", `frame ${seq} is of another turn`]);
  }
  if (log.length !== lastSeq) found.push(["I2", `the log has ${log.length} frames, its row says ${lastSeq}`]);
  let next = 1;
  for (const segment of segments) {
    if (segment.firstSeq !== next) found.push(["I2", `a stored segment begins at ${segment.firstSeq}, not ${next}`]);
    next = segment.lastSeq + 1;
  }
  return found;
}

function judgeEnd({ terminal, outcome }: StoredTurn, log: readonly SeenFrame[]): [string, string][] {
  const found: [string, string][] = [];
  const ends = log.filter(({ isTerminal }) => isTerminal);
  if (ends.length !== 1) found.push(["I1", `the log has ${ends.length} terminal frames`]);
  if (log.at(-1)?.isTerminal !== true) found.push(["I3", "the log does not end with its terminal frame"]);
  if (terminal === null) found.push(["I1", "the turn has ended without a terminal frame"]);
  const kinds: Readonly<Record<string, string>> = { completed: "completed", paused: "completed", failed: "error" };
  const expected = kinds[outcome?.kind ?? ""] ?? "cancelled";
  const told = ends.at(-1)?.type;
  if (told !== expected) found.push(["I1", `the row says ${outcome?.kind}, the terminal frame ${told}`]);
  return found;
}

function judgePairs(log: readonly SeenFrame[]): [string, string][] {
  const found: [string, string][] = [];
  const open = new Set<string>();
  const closed = new Set<string>();
  for (const { type, body, seq } of log) {
    const id = body.tool_call?.id ?? "";
    if (type === "tool_call") {
      if (open.has(id) || closed.has(id)) found.push(["I5", `tool call ${id} begins again at frame ${seq}`]);
      open.add(id);
    }
    if (type === "tool_completed") {
      if (!open.delete(id)) found.push(["I5", `frame ${seq} completes ${id}, which does not run`]);
      closed.add(id);
    }
  }
  for (const id of open) found.push(["I5", `tool call ${id} is never completed`]);
  return found;
}

function judgeEpochs({ epoch, journal }: StoredTurn, log: readonly SeenFrame[]): [string, string][] {
  const found: [string, string][] = [];
  let latest = 0;
  for (const frame of log) {
    if (frame.epoch < latest) found.push(["I9", `frame ${frame.seq} of epoch ${frame.epoch} follows epoch ${latest}`]);
    latest = Math.max(latest, frame.epoch);
  }
  if (latest !== epoch) found.push(["I9", `the log ends in epoch ${latest}, the turn is in epoch ${epoch}`]);
  const stray = journal.find((row) => row.epoch > epoch);
  if (stray !== undefined) found.push(["I9", `the journal has a row of epoch ${stray.epoch}`]);
  return found;
}
