import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ClientRecord } from "../harness/turn-client.js";
import { checkHistory } from "./check-history.js";
import type { History, StoredTurn } from "./history.js";

const turnId = randomUUID();
const frame = (seq: number, type: string, rest: object = {}, epoch = 1) => {
  const data = JSON.stringify({ event_type: type, response_id: turnId, seq, ...rest });
  return `id: ${turnId}.${epoch}.${seq}\nevent: ${type}\ndata: ${data}\n\n`;
};
const TOOL = { tool_call: { id: "c1" } };
const FRAMES = [
  frame(1, "response_id"),
  frame(2, "text", { chunk: "one " }),
  frame(3, "tool_call", TOOL),
  frame(4, "tool_completed", TOOL),
  frame(5, "text", { chunk: "two" }),
];
const END = frame(6, "completed");
const DONE = "data: [DONE]\n\n";

const TURN: StoredTurn = {
  orgId: randomUUID(),
  turnId,
  sessionId: randomUUID(),
  conversationId: randomUUID(),
  status: "ended",
  epoch: 1,
  outcome: { kind: "completed" },
  lastSeq: 6,
  terminal: END,
  segments: [{ firstSeq: 1, lastSeq: 5, sse: FRAMES.join("") }],
  messages: [
    { role: "user", text: "a question", incomplete: false },
    { role: "assistant", text: "one two", incomplete: false },
  ],
  usage: [{ call: 1, estimated: false }],
  journal: [{ epoch: 1, position: 1, type: "tool_call" }],
  audit: [
    { id: turnId, actionType: "message_received", chain: [] },
    { id: randomUUID(), actionType: "message_completed", chain: [] },
  ],
  reservedTokens: 0,
};
const reading = (body: string, rest: object = {}) => ({
  cursor: undefined,
  status: 200,
  body,
  complete: true,
  ...rest,
});
const client = (...readings: ReturnType<typeof reading>[]): ClientRecord => {
  return { turnId, stayed: true, endedAt: 1, readings };
};
const WHOLE = `${FRAMES.join("")}${END}${DONE}`;
const HISTORY: History = {
  turns: [TURN],
  clients: [
    client(reading(WHOLE)),
    client(reading(FRAMES.slice(0, 2).join(""), { complete: false }), reading(FRAMES.slice(2).join("") + END + DONE)),
  ],
  modelCalls: [{ at: 0, asked: '"a question"', said: [], words: 2, endedAt: 5, end: "done" }],
  accepted: [turnId],
  cancels: [],
};

const judge = (change: Partial<History>) => [
  ...new Set(checkHistory({ ...HISTORY, ...change }).map(({ invariant }) => invariant)),
];
const withTurn = (change: Partial<StoredTurn>) => judge({ turns: [{ ...TURN, ...change }], clients: [] });
const withClient = (...readings: ReturnType<typeof reading>[]) => judge({ clients: [client(...readings)] });
const log = (...frames: string[]) => ({
  segments: [{ firstSeq: 1, lastSeq: frames.length, sse: frames.join("") }],
  lastSeq: frames.length + 1,
});

test("a run in which all is well is found to be well", () => {
  expect(checkHistory(HISTORY)).toEqual([]);
});

describe("of a log, the checker finds", () => {
  test("a second end, none, and one that its row does not know", () => {
    expect(withTurn(log(...FRAMES.slice(0, 4), frame(5, "cancelled")))).toContain("I1");
    expect(withTurn({ terminal: null, lastSeq: 5 })).toContain("I1");
    expect(withTurn({ outcome: { kind: "cancelled" } })).toContain("I1");
  });
  test("a gap, a repetition and a number too many", () => {
    expect(withTurn(log(...FRAMES.slice(0, 3), ...FRAMES.slice(4)))).toContain("I2");
    expect(withTurn(log(...FRAMES.slice(0, 4), ...FRAMES.slice(3)))).toContain("I2");
    expect(withTurn({ lastSeq: 7 })).toEqual(["I2"]);
  });
  test("a frame behind the end", () => {
    expect(withTurn({ ...log(...FRAMES, END), terminal: frame(7, "text", { chunk: "" }), lastSeq: 7 })).toContain("I3");
  });
  test("a tool that is never completed, and one that never began", () => {
    const [first = "", second = "", , , fifth = ""] = FRAMES;
    const other = frame(3, "tool_call", { tool_call: { id: "c2" } });
    expect(withTurn(log(first, second, other, FRAMES[3] ?? "", fifth))).toEqual(["I5"]);
  });
  test("an epoch that goes back, and an end of another epoch than the turn's", () => {
    const later = frame(2, "text", { chunk: "one " }, 2);
    expect(withTurn({ ...log(FRAMES[0] ?? "", later, ...FRAMES.slice(2)), epoch: 2 })).toEqual(["I9"]);
    expect(withTurn({ epoch: 2 })).toEqual(["I9"]);
  });
});

describe("of a client, the checker finds", () => {
  test("a stream that ended without an end, and a client that never saw one", () => {
    expect(withClient(reading(FRAMES.join("")), reading(`${END}${DONE}`))).toEqual(["I1"]);
    expect(withClient(reading(FRAMES.join(""), { complete: false }))).toEqual(["I1", "I4"]);
    expect(withClient(reading("", { status: 204 }))).toContain("I1");
  });
  test("the same number with another payload", () => {
    expect(withClient(reading(WHOLE.replace("two", "tow")))).toEqual(["I2"]);
  });
  test("whatever comes behind the end but the word that it is over", () => {
    expect(withClient(reading(`${WHOLE}${DONE}`))).toEqual(["I3"]);
    expect(withClient(reading(`${FRAMES.join("")}${DONE}`, { complete: false }), reading(END))).toEqual(["I3"]);
  });
  test("a frame that is missing, one that comes twice, and a cursor that is refused", () => {
    expect(withClient(reading(WHOLE.replace(FRAMES[1] ?? "", "")))).toEqual(["I4"]);
    expect(withClient(reading(WHOLE.replace(FRAMES[1] ?? "", `${FRAMES[1]}${FRAMES[1]}`)))).toEqual(["I4"]);
    expect(withClient(reading(WHOLE, { complete: false }), reading("", { status: 410 }))).toEqual(["I4"]);
  });
  test("an end that was told and is not stored", () => {
    expect(judge({ turns: [{ ...TURN, status: "running", outcome: null, terminal: null }] })).toEqual(["I6", "I16"]);
  });
  test("a word of another tenant", () => {
    const other = { ...TURN, orgId: randomUUID(), turnId: randomUUID(), sessionId: randomUUID(), status: "refused" };
    const leak = reading(`: ${other.sessionId}\n\n${WHOLE}`);
    expect(judge({ turns: [TURN, other], clients: [client(leak)] })).toEqual(["I10"]);
  });
});

describe("of rows and calls, the checker finds", () => {
  test("an answer that is not what was told, is missing, or says wrongly that it is whole", () => {
    const [user, answer] = [TURN.messages[0], TURN.messages[1]].map((message) => message ?? expect.fail());
    expect(withTurn({ messages: [user, { ...answer, text: "one" }] as StoredTurn["messages"] })).toEqual(["I6"]);
    expect(withTurn({ messages: [user] as StoredTurn["messages"] })).toEqual(["I6"]);
    expect(withTurn({ messages: [user, { ...answer, incomplete: true }] as StoredTurn["messages"] })).toEqual(["I6"]);
    expect(withTurn({ audit: TURN.audit.slice(0, 1) })).toEqual(["I6"]);
  });
  test("a call without its row, a row without its call, and one that was cut short and not estimated", () => {
    expect(withTurn({ usage: [] })).toEqual(["I7"]);
    expect(judge({ modelCalls: [] })).toEqual(["I7"]);
    const [call] = HISTORY.modelCalls;
    expect(judge({ modelCalls: [{ ...(call ?? expect.fail()), end: "closed_by_caller" }] })).toEqual(["I7"]);
  });
  test("a call of a turn that changed hands, without its row, with two too many, or with one that claims to be exact", () => {
    const row = (number: number, estimated: boolean) => ({ call: number, estimated });
    const usageOf = (...usage: { call: number; estimated: boolean }[]) =>
      withTurn({ epoch: 2, usage }).filter((invariant) => invariant === "I7");
    expect(usageOf()).toEqual(["I7"]);
    expect(usageOf(row(1, false), row(2, true))).toEqual([]);
    expect(usageOf(row(1, false), row(2, false))).toEqual(["I7"]);
    expect(usageOf(row(1, false), row(2, true), row(3, true))).toEqual(["I7"]);
  });
  test("tokens that are still held", () => {
    expect(withTurn({ reservedTokens: 5 })).toEqual(["I8"]);
  });
  test("a cancel that came to nothing, or too late to the model", () => {
    expect(judge({ cancels: [{ turnId, at: 0 }] })).toEqual(["I15"]);
    const cancelled = { ...TURN, outcome: { kind: "cancelled" }, terminal: frame(6, "cancelled") };
    const messages = TURN.messages.map((message) => ({ ...message, incomplete: message.role === "assistant" }));
    const late = { turns: [{ ...cancelled, messages }], clients: [], cancels: [{ turnId, at: -250 }] };
    expect(judge(late)).toEqual(["I15"]);
    expect(judge({ ...late, cancels: [{ turnId, at: 0 }] })).toEqual([]);
  });
  test("a turn that was accepted and does not end, for one reader or for all, or is not there", () => {
    expect(judge({ clients: [{ ...client(reading(FRAMES.join(""), { complete: false })), stayed: false }] })).toEqual([
      "I16",
    ]);
    expect(judge({ turns: [{ ...TURN, status: "running" }], clients: [] })).toEqual(["I16"]);
    expect(judge({ turns: [], clients: [] })).toEqual(["I20"]);
    expect(judge({ turns: [{ ...TURN, status: "refused" }], clients: [] })).toEqual(["I20"]);
  });
});

test("of processes, the checker finds sockets that stay and memory that grows", () => {
  const record = { socketsBefore: 5, socketsAfter: 7, socketsKeptMax: 2, rssBytesMax: 10, rssBytesAllowed: 10 };
  expect(judge({ processes: [record] })).toEqual([]);
  expect(judge({ processes: [{ ...record, socketsAfter: 8 }] })).toEqual(["I13"]);
  expect(judge({ processes: [{ ...record, rssBytesMax: 11 }] })).toEqual(["I14"]);
});
