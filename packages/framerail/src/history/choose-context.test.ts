import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../store/messages.js";
import type { ContextPolicy } from "./choose-context.js";
import { chooseContext, INCOMPLETE_MARK } from "./choose-context.js";
import { CONTEXT_MESSAGES_MAX } from "./limits.js";
import type { ExchangeOptions } from "./testing/conversation.js";
import { exchangeOf } from "./testing/conversation.js";

const conversationId = randomUUID();
const said = (options: ExchangeOptions = {}, runId: string = randomUUID()) =>
  exchangeOf({ runId, conversationId }, options);
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => said({ question: `q${index}`, answer: `a${index}` })).flat();
/** One token for each character, so that budgets can be read off. */
const choose = (messages: readonly Message[], policy: ContextPolicy) =>
  chooseContext(messages, policy, (text) => text.length);
const textsOf = (messages: readonly Message[], policy: ContextPolicy) =>
  choose(messages, policy).map(({ content }) => content);

describe("what the next turn is told", () => {
  test("everything comes in order, as role and text, when it fits [F-43]", () => {
    expect(choose(numbered(2), { messagesMax: 4 })).toEqual([
      { role: "user", content: "q0" },
      { role: "assistant", content: "a0" },
      { role: "user", content: "q1" },
      { role: "assistant", content: "a1" },
    ]);
  });

  test.each([
    [1, ["q2", "a2"]],
    [2, ["q2", "a2"]],
    [3, ["q2", "a2"]],
    [4, ["q1", "a1", "q2", "a2"]],
    [6, ["q0", "a0", "q1", "a1", "q2", "a2"]],
  ])("the last %i messages are whole exchanges, and the newest is always there [F-43]", (messagesMax, told) => {
    expect(textsOf(numbered(3), { messagesMax })).toEqual(told);
  });

  test.each([
    [1, ["q2", "a2"]],
    [7, ["q2", "a2"]],
    [8, ["q1", "a1", "q2", "a2"]],
    [12, ["q0", "a0", "q1", "a1", "q2", "a2"]],
  ])("a budget of %i tokens is filled from the newest exchange backwards [F-43]", (tokensMax, told) => {
    expect(textsOf(numbered(3), { tokensMax })).toEqual(told);
  });

  test("an older exchange that is too long ends it: nothing older slips in behind [F-43]", () => {
    const messages = [...said({ question: "q0" }), ...said({ question: "x".repeat(50) }), ...said({ question: "q2" })];
    expect(textsOf(messages, { tokensMax: 30 })).toEqual(["q2", "answer"]);
  });

  test("the stricter of two bounds wins [F-43]", () => {
    expect(textsOf(numbered(3), { messagesMax: 4, tokensMax: 4 })).toEqual(["q2", "a2"]);
    expect(textsOf(numbered(3), { messagesMax: 2, tokensMax: 100 })).toEqual(["q2", "a2"]);
  });

  test("a single message over the budget is told all the same, rather than nothing [F-43]", () => {
    expect(textsOf(said({ question: "x".repeat(99), answer: undefined }), { tokensMax: 5 })).toEqual(["x".repeat(99)]);
    expect(choose([], { tokensMax: 5 })).toEqual([]);
  });

  test("an answer whose question was cut off by the reading is left out [F-43]", () => {
    expect(textsOf(numbered(2).slice(1), {})).toEqual(["q1", "a1"]);
  });

  test("an answer of a turn that was continued stays with the exchange before it [F-43]", () => {
    const messages = [...numbered(2), ...said({ question: undefined, answer: "and then" })];
    expect(textsOf(messages, { messagesMax: 3 })).toEqual(["q1", "a1", "and then"]);
    expect(textsOf(messages, { messagesMax: 1 })).toEqual(["q1", "a1", "and then"]);
  });

  test("turns that ran side by side keep their pairs and their order [F-43]", () => {
    const [one, two] = [said({ question: "q0", answer: "a0" }), said({ question: "q1", answer: "a1" })];
    const messages = [one[0], two[0], one[1], two[1]] as Message[];
    expect(textsOf(messages, {})).toEqual(["q0", "q1", "a0", "a1"]);
    expect(textsOf(messages, { messagesMax: 2 })).toEqual(["q1", "a1"]);
  });

  test("only what was said is told: no reasoning, no tools, and no empty message [F-43]", () => {
    const at = { timestamp: 1 };
    const items = [
      { type: "reasoning" as const, sequence: 0, content: "hm", ...at },
      { type: "message" as const, sequence: 1, content: "Fo", ...at },
      { type: "tool_call" as const, sequence: 2, tool_call_id: "c", tool_name: "t", arguments: {}, ...at },
      { type: "message" as const, sequence: 3, content: "ur.", ...at },
    ];
    expect(textsOf(said({ question: "q", items }), {})).toEqual(["q", "Four."]);
    expect(textsOf([...said({ question: "q", items: [] }), ...said({ question: "again" })], {})).toEqual([
      "q",
      "again",
      "answer",
    ]);
    expect(textsOf([...numbered(1), ...said({ question: "", answer: "lost" })], {})).toEqual(["q0", "a0"]);
  });

  test("an answer that was cut off is told as it is, or marked by choice [F-43] [C-34]", () => {
    const cut = said({ question: "q", answer: "Fo", incomplete: true });
    expect(textsOf(cut, {})).toEqual(["q", "Fo"]);
    expect(textsOf(cut, { incomplete: "mark" })).toEqual(["q", `Fo\n\n${INCOMPLETE_MARK}`]);
    const empty = said({ question: "q", items: [], incomplete: true });
    expect(textsOf(empty, { incomplete: "mark" })).toEqual(["q", INCOMPLETE_MARK]);
  });

  test("an estimate that is no number is no room [F-43]", () => {
    expect(chooseContext(numbered(3), { tokensMax: 5 }, () => Number.NaN)).toHaveLength(2);
  });

  test.each([
    [{ messagesMax: 0 }],
    [{ messagesMax: 1.5 }],
    [{ messagesMax: CONTEXT_MESSAGES_MAX + 1 }],
    [{ tokensMax: 0 }],
    [{ tokensMax: Number.NaN }],
  ])("the policy %j is refused [F-43]", (policy) => {
    expect(() => choose([], policy)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("whatever was said and whatever the policy: it starts with a question, ends with the newest, and is within the bounds but for the newest exchange [F-43]", () => {
    const text = fc.string({ minLength: 1, maxLength: 9 });
    const exchange = fc.record({ question: text, answer: fc.option(text, { nil: undefined }) });
    const bounds = { messagesMax: fc.integer({ min: 1, max: 12 }), tokensMax: fc.integer({ min: 1, max: 60 }) };
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 12 }), fc.record(bounds), (exchanges, policy) => {
        const messages = exchanges.flatMap((options) => said(options));
        const told = choose(messages, policy);
        const all = choose(messages, { messagesMax: CONTEXT_MESSAGES_MAX });
        expect(told[0]?.role).toBe("user");
        expect(told).toEqual(all.slice(all.length - told.length));
        const newest = exchanges.at(-1)?.answer === undefined ? 1 : 2;
        expect(told.length).toBeGreaterThanOrEqual(newest);
        const tokens = told.reduce((sum, { content }) => sum + content.length, 0);
        if (told.length > newest) {
          expect(told.length).toBeLessThanOrEqual(policy.messagesMax);
          expect(tokens).toBeLessThanOrEqual(policy.tokensMax);
        }
      }),
    );
  });
});
