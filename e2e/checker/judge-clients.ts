// What must hold of every client: what it got over all its connections is the log, byte for byte and each frame once
// (I2, I4), with one end for those who stayed (I1), nothing behind it (I3), which is stored when they hear of it (I6), no
// word of a replaced owner after its successor's (I9), and nothing of another tenant (I10).

import type { ClientRecord, Reading } from "../harness/turn-client.js";
import type { SeenFrame } from "./frame.js";
import { framesOf, logOf } from "./frame.js";
import type { History, StoredTurn, Violation } from "./history.js";

export function judgeClients({ clients, turns }: Pick<History, "clients" | "turns">): Violation[] {
  const byId = new Map(turns.map((turn) => [turn.turnId, turn]));
  const found: Violation[] = [];
  for (const client of clients) {
    const { turnId } = client;
    const turn = byId.get(turnId);
    const says = [
      ...judgeReadings(client),
      ...judgeFrames(client, turn),
      ...judgeCompleted(client, turn),
      ...judgeTenant(client, turn, turns),
    ];
    for (const [invariant, text] of says) found.push({ invariant, turnId, says: `a client: ${text}` });
  }
  return found;
}

function judgeReadings({ readings, stayed }: ClientRecord): [string, string][] {
  const found: [string, string][] = [];
  let ends = 0;
  for (const [index, reading] of readings.entries()) {
    const { status, complete, body } = reading;
    const seen = framesOf(body);
    const end = seen.findIndex((frame) => typeof frame !== "string" && frame.isTerminal);
    ends += seen.filter((frame) => typeof frame !== "string" && frame.isTerminal).length;
    if (status === 200) {
      const behind = end === -1 ? seen.filter((frame) => frame === "[DONE]") : seen.slice(end + 1);
      const isRight = end === -1 ? behind.length === 0 : behind.length <= 1 && behind.every((it) => it === "[DONE]");
      if (!isRight) found.push(["I3", `connection ${index + 1} has something behind its end`]);
      if (complete && end === -1) found.push(["I1", `connection ${index + 1} ended without a terminal frame`]);
      if (seen.includes("other")) found.push(["I4", `connection ${index + 1} has what is no frame`]);
    }
    found.push(...judgeStatus(reading, index, ends > 0));
  }
  if (!stayed) found.push(["I16", "it waited, and never saw an end"]);
  if (stayed && ends !== 1) found.push(["I1", `it stayed and saw ${ends} terminal frames`]);
  return found;
}

function judgeStatus({ status, cursor }: Reading, index: number, hasEnded: boolean): [string, string][] {
  // A server that is away, or cannot answer now, says so; the next connection may do better.
  if (status === 0 || status === 200 || status >= 500 || status === 429) return [];
  if (status === 204) return hasEnded ? [] : [["I1", `connection ${index + 1} was told that there is nothing more`]];
  return [["I4", `connection ${index + 1}, after ${cursor ?? "nothing"}, was refused with ${status}`]];
}

function judgeFrames(client: ClientRecord, turn: StoredTurn | undefined): [string, string][] {
  const got = client.readings.flatMap(({ body }) => framesOf(body)).filter((frame) => typeof frame !== "string");
  const found = judgeEpochs(got);
  if (turn?.status !== "ended") return found;
  const log = logOf(turn);
  for (const [index, frame] of got.entries()) {
    const logged = log[index];
    const text = compare(frame, logged, index);
    if (text === undefined) continue;
    // The same number with other bytes is worse than a place that is off.
    const isTwofold = log.some(({ seq, raw }) => seq === frame.seq && raw !== frame.raw);
    found.push([isTwofold ? "I2" : "I4", text]);
    break;
  }
  if (client.stayed && got.length < log.length) found.push(["I4", `it stayed and got ${got.length} of ${log.length}`]);
  return found;
}

function compare(frame: SeenFrame, logged: SeenFrame | undefined, index: number): string | undefined {
  if (frame.raw === logged?.raw) return undefined;
  if (frame.seq !== index + 1) return `frame ${frame.seq} came where ${index + 1} was due`;
  return `frame ${frame.seq} is not the one of the log`;
}

function judgeEpochs(got: readonly SeenFrame[]): [string, string][] {
  const stale = got.find(({ epoch }, index) => epoch < (got[index - 1]?.epoch ?? 0));
  return stale === undefined ? [] : [["I9", `frame ${stale.seq} of epoch ${stale.epoch} came after a later epoch`]];
}

function judgeCompleted({ readings }: ClientRecord, turn: StoredTurn | undefined): [string, string][] {
  const isTold = readings.some(({ body }) =>
    framesOf(body).some((frame) => typeof frame !== "string" && frame.type === "completed"),
  );
  if (!isTold || turn?.status === "ended") return [];
  return [["I6", `it was told that the turn is completed, and its row says ${turn?.status ?? "nothing"}`]];
}

function judgeTenant(client: ClientRecord, own: StoredTurn | undefined, turns: readonly StoredTurn[]) {
  const found: [string, string][] = [];
  const others = turns.filter(({ orgId }) => own !== undefined && orgId !== own.orgId);
  for (const { turnId, sessionId, conversationId } of others) {
    const leaks = client.readings.some(({ body }) =>
      [turnId, sessionId, conversationId].some((id) => body.includes(id)),
    );
    if (leaks) found.push(["I10", `it was told of turn ${turnId}, which is another tenant's`]);
  }
  return found;
}
