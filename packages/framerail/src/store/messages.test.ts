import { randomUUID } from "node:crypto";
import type { AssistantMessage, UserMessage } from "@framerail/protocol";
import { createMessageAccumulator } from "@framerail/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "./messages.js";
import { countMessages, insertMessage, readMessages, readTurnMessages } from "./messages.js";
import { createSession } from "./sessions.js";
import type { Sql } from "./sql.js";
import { insertTurn } from "./testing/insert-turn.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

const T0 = 1_699_999_999_000;

describe.each(DRIVERS)("messages on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  let conversationId: string;
  let sessionId: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
    [sessionId, conversationId] = [randomUUID(), randomUUID()];
    const conversation = { id: conversationId, isNew: true };
    await run((sql) => createSession(sql, { id: sessionId, conversation, agentId: "assistant", userId: "user_1" }));
  });
  afterAll(() => store.close());

  const run = <T>(work: (sql: Sql) => Promise<T>, orgId = org) => store.database.asTenant(orgId, work);
  const insert = (message: Message, orgId = org) => run((sql) => insertMessage(sql, message), orgId);
  const turn = () => insertTurn(store.database, org, { sessionId, conversationId });
  const question = (runId: string, fields: Partial<UserMessage> = {}): UserMessage => ({
    _id: `msg_${randomUUID()}`,
    conversation_id: conversationId,
    run_id: runId,
    role: "user",
    content_items: [{ type: "message", sequence: 0, content: "What is 2+2?", timestamp: T0 - 5 }],
    created_at: T0 - 5,
    incomplete: false,
    ...fields,
  });
  const answer = (runId: string, fields: Partial<AssistantMessage> = {}): AssistantMessage => ({
    ...sampleAnswer(runId, conversationId),
    ...fields,
  });

  test("an answer comes back as the very document that went in: six items, 700 ms, 45, 28 and 15 tokens [P-41] [C-9] [I-21]", async () => {
    const runId = await turn();
    const document = answer(runId);
    expect(document).toMatchObject({
      duration_ms: 700,
      tokens_used: { prompt_tokens: 45, completion_tokens: 28, reasoning_tokens: 15 },
    });
    expect(document.content_items).toHaveLength(6);
    expect(await insert(document)).toBe(true);
    const [kept] = await run((sql) => readTurnMessages(sql, runId));
    expect(kept).toStrictEqual(document);
    expect(Object.keys(kept as object)).toEqual(Object.keys(document));
    expect(kept?._id).toMatch(/^msg_[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  test("a question is a document of one message item, there before its answer is [P-64] [C-9]", async () => {
    const runId = await turn();
    const asked = question(runId);
    await insert(asked);
    expect(await run((sql) => readTurnMessages(sql, runId))).toStrictEqual([asked]);
    await insert(answer(runId));
    const both = await run((sql) => readTurnMessages(sql, runId));
    expect(both.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("an answer that was cut off keeps its mark, without an end and without tokens where it has none [C-34] [P-41]", async () => {
    const runId = await turn();
    const { completed_at: _, tokens_used: __, ...open } = answer(runId, { incomplete: true, content_items: [] });
    await insert(open);
    expect(await run((sql) => readTurnMessages(sql, runId))).toStrictEqual([open]);
  });

  test("data that was shown is an item of the answer like any other [C-35]", async () => {
    const runId = await turn();
    const shown = { data_id: "offers", data_type: "offer_list", items: [{ price: 1.5 }, null], timestamp: T0 };
    const document = answer(runId, { content_items: [{ type: "component", sequence: 0, ...shown }] });
    await insert(document);
    expect(await run((sql) => readTurnMessages(sql, runId))).toStrictEqual([document]);
  });

  test("a second message of a role changes nothing, also when twenty write at once [C-8] [P-41]", async () => {
    const runId = await turn();
    const tries = Array.from({ length: 20 }, () => insert(answer(runId, { _id: `msg_${randomUUID()}` })));
    expect((await Promise.all(tries)).filter((written) => written)).toHaveLength(1);
    const [first] = await run((sql) => readTurnMessages(sql, runId));
    expect(await insert(answer(runId, { _id: `msg_${randomUUID()}`, incomplete: true }))).toBe(false);
    expect(await run((sql) => readTurnMessages(sql, runId))).toEqual([first]);
  });

  test("an id that is taken is an error, not a message that is lost without a word [I-21]", async () => {
    const [one, two] = [await turn(), await turn()];
    const taken = answer(one);
    await insert(taken);
    await expect(insert(answer(two, { _id: taken._id }))).rejects.toMatchObject({ code: "23505" });
  });

  test("a message for a turn that is not of this conversation and tenant is not found", async () => {
    const runId = await turn();
    const stranger = await createTenant(store.database);
    const wrong = [
      insert(answer(randomUUID())),
      insert(answer(runId, { conversation_id: randomUUID() })),
      insert(answer(runId), stranger),
    ];
    for (const attempt of await Promise.allSettled(wrong))
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
    expect(await run((sql) => countMessages(sql, conversationId))).toBe(0);
  });

  test("another tenant sees neither the messages of a conversation, nor of a turn, nor how many there are", async () => {
    const runId = await turn();
    await insert(question(runId));
    const stranger = await createTenant(store.database);
    expect(await run((sql) => readMessages(sql, { conversationId, limit: 10 }), stranger)).toEqual([]);
    expect(await run((sql) => readTurnMessages(sql, runId), stranger)).toEqual([]);
    expect(await run((sql) => countMessages(sql, conversationId), stranger)).toBe(0);
  });

  test.each<[string, (runId: string) => Message, string]>([
    ["an id of another form", (runId) => answer(runId, { _id: "msg_abc123" }), "INVALID_ITEM"],
    ["a turn that is no UUID", () => answer("run_789"), "INVALID_ARGUMENT"],
    ["a negative duration", (runId) => answer(runId, { duration_ms: -1 }), "INVALID_ITEM"],
    ["a time that is no number", (runId) => answer(runId, { created_at: Number.NaN }), "INVALID_ITEM"],
    ["a time after the year 9999", (runId) => answer(runId, { created_at: 8.64e15 }), "INVALID_ARGUMENT"],
    ["an end after the year 9999", (runId) => answer(runId, { completed_at: 8.64e15 }), "INVALID_ARGUMENT"],
    ["items with a gap", (runId) => answer(runId, { content_items: [itemOf(1, "a")] }), "INVALID_ITEM"],
    ["half a character", (runId) => answer(runId, { content_items: [itemOf(0, "\ud800")] }), "INVALID_ITEM"],
    ["a question of two items", (runId) => question(runId, { content_items: twoItems }), "INVALID_ITEM"],
    ["a question without an item", (runId) => question(runId, { content_items: [] }), "INVALID_ITEM"],
  ])("a document with %s is refused before anything is written [P-41]", async (_, make, code) => {
    const runId = await turn();
    await expect(insert(make(runId))).rejects.toMatchObject({ code });
    expect(await run((sql) => readTurnMessages(sql, runId))).toEqual([]);
  });

  test("U+0000 in an answer costs that character, not the answer [P-41]", async () => {
    const runId = await turn();
    await insert(answer(runId, { content_items: [itemOf(0, "a\0b \\u0000")] }));
    const [kept] = await run((sql) => readTurnMessages(sql, runId));
    expect(kept?.content_items).toEqual([itemOf(0, "a\ufffdb \\u0000")]);
  });

  test("the newest messages come newest first, and a conversation knows how many it has [P-44] [P-45]", async () => {
    const asked: Message[] = [];
    for (let index = 0; index < 15; index += 1) {
      asked.push(question(await turn(), { created_at: T0 + index }));
      await insert(asked[index] as Message);
    }
    const newest = await run((sql) => readMessages(sql, { conversationId, limit: 10 }));
    expect(newest).toEqual(asked.slice(5).reverse());
    const before = newest.at(-1);
    expect(await run((sql) => readMessages(sql, { conversationId, before, limit: 10 }))).toEqual(
      asked.slice(0, 5).reverse(),
    );
    expect(await run((sql) => countMessages(sql, conversationId))).toBe(15);
    expect(await run((sql) => countMessages(sql, "none"))).toBe(0);
  });
});

const itemOf = (sequence: number, content: string) => ({ type: "message" as const, sequence, content, timestamp: T0 });
const twoItems = [itemOf(0, "a"), itemOf(1, "b")];

/** One turn with a tool, as its accumulator closes it. */
function sampleAnswer(runId: string, conversationId: string): AssistantMessage {
  const turn = createMessageAccumulator({ runId, conversationId, startedAt: T0 });
  const call = { tool_call_id: "call_1", tool_name: "calculator" };
  turn.add({ type: "reasoning", content: "Let me calculate this using the calculator tool." }, T0);
  turn.add({ type: "text", content: "I'll use the calculator to solve this." }, T0 + 200);
  turn.add({ type: "tool_call", ...call, arguments: { expression: "2+2" }, timestamp: T0 + 300 }, T0 + 310);
  const ended = { tool_call_id: "call_1", is_error: false, duration_ms: 50 };
  turn.add({ type: "tool_result", ...ended, result: { answer: 4 } }, T0 + 350);
  turn.add({ type: "reasoning", content: "The calculator returned 4, which is correct." }, T0 + 400);
  turn.add({ type: "text", content: "The answer is 4." }, T0 + 600);
  const tokensUsed = { prompt_tokens: 45, completion_tokens: 28, reasoning_tokens: 15 };
  return turn.finalize({ messageId: `msg_${randomUUID()}`, endedAt: T0 + 700, tokensUsed, incomplete: false });
}
