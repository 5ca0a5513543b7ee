import { describe, expect, test } from "vitest";
import { isFramerailError } from "../error.js";
import { compileCheck } from "../schema/check.js";
import { assistantMessageSchema, tokensUsed, userMessageSchema } from "./assistant-message.js";
import { SAMPLE_DOCUMENT, SAMPLE_MESSAGE_ID } from "./testing/sample.js";

const check = compileCheck(assistantMessageSchema);

describe("an answer", () => {
  test("has exactly the documented fields, all required but completed_at and tokens_used [P-41]", () => {
    const schema = assistantMessageSchema as { fields?: object };
    expect(Object.keys(schema.fields ?? {})).toEqual(Object.keys(SAMPLE_DOCUMENT));
    expect(check(SAMPLE_DOCUMENT)).toBeUndefined();
    for (const name of Object.keys(SAMPLE_DOCUMENT)) {
      const issue = check({ ...SAMPLE_DOCUMENT, [name]: undefined });
      if (name === "completed_at" || name === "tokens_used") expect(issue, name).toBeUndefined();
      else expect(issue?.path, name).toBe(name);
    }
  });

  test("survives JSON unchanged [P-41]", () => {
    expect(JSON.parse(JSON.stringify(SAMPLE_DOCUMENT))).toEqual(SAMPLE_DOCUMENT);
  });

  test("has an id of msg_ and a UUID of version 4, nothing else [I-21]", () => {
    const wrong = ["msg_abc123", SAMPLE_MESSAGE_ID.slice(4), SAMPLE_MESSAGE_ID.toUpperCase(), `${SAMPLE_MESSAGE_ID}\n`];
    for (const _id of [...wrong, SAMPLE_MESSAGE_ID.replace("-4e", "-1e"), SAMPLE_MESSAGE_ID.replace("-9b", "-cb")])
      expect(check({ ...SAMPLE_DOCUMENT, _id })).toMatchObject({ path: "_id", rule: "pattern" });
  });

  test("keeps its items as one flat list, numbered from 0 without gaps [P-19, P-28]", () => {
    const [first, second, ...others] = SAMPLE_DOCUMENT.content_items;
    for (const content_items of [[second, first, ...others], [first, ...others], [second]])
      expect(check({ ...SAMPLE_DOCUMENT, content_items })).toMatchObject({ path: "content_items", rule: "rule" });
    expect(check({ ...SAMPLE_DOCUMENT, content_items: [[first]] })?.path).toBe("content_items.0");
  });

  test("may hold reasoning and no message, or nothing at all [P-54]", () => {
    const reasoning = { type: "reasoning", sequence: 0, content: "a thought", timestamp: 1 };
    expect(check({ ...SAMPLE_DOCUMENT, content_items: [reasoning] })).toBeUndefined();
    expect(check({ ...SAMPLE_DOCUMENT, content_items: [], incomplete: true })).toBeUndefined();
  });

  test("refuses negative and fractional times and counts [P-61]", () => {
    for (const wrong of [-1, 0.5, 2 ** 53]) {
      for (const name of ["created_at", "completed_at", "duration_ms"])
        expect(check({ ...SAMPLE_DOCUMENT, [name]: wrong })?.path).toBe(name);
      for (const name of ["prompt_tokens", "completion_tokens", "reasoning_tokens"])
        expect(
          check({ ...SAMPLE_DOCUMENT, tokens_used: { ...SAMPLE_DOCUMENT.tokens_used, [name]: wrong } })?.path,
        ).toBe(`tokens_used.${name}`);
    }
  });
});

describe("what the user said", () => {
  const checkUser = compileCheck(userMessageSchema);
  const item = { type: "message", sequence: 0, content: "What is 2+2?", timestamp: 5 };
  const question = {
    _id: SAMPLE_MESSAGE_ID,
    conversation_id: "conv_xyz",
    run_id: "run_789",
    role: "user",
    content_items: [item],
    created_at: 5,
    incomplete: false,
  };

  test("is a document of one message item that is never incomplete [P-64]", () => {
    expect(checkUser(question)).toBeUndefined();
    expect(checkUser({ ...question, incomplete: true })).toMatchObject({ path: "incomplete" });
    expect(checkUser({ ...question, role: "assistant" })).toMatchObject({ path: "role" });
    for (const content_items of [[], [item, { ...item, sequence: 1 }], [{ ...item, sequence: 1 }]])
      expect(checkUser({ ...question, content_items })).toMatchObject({ path: "content_items", rule: "rule" });
    expect(checkUser({ ...question, content_items: [{ ...item, type: "reasoning" }] })?.path).toBe(
      "content_items.0.type",
    );
  });
});

describe("token counts", () => {
  const usage = { input_tokens: 45, output_tokens: 28, total_tokens: 73, reasoning_tokens: 15, cached_tokens: 40 };

  test("come from the five counters of the wire: input is prompt, output is completion [C-14]", () => {
    expect(tokensUsed(usage)).toEqual({ prompt_tokens: 45, completion_tokens: 28, reasoning_tokens: 15 });
  });

  test("are refused when a counter is missing or wrong [C-14, P-61]", () => {
    for (const [name, wrong] of [
      ["input_tokens", -1],
      ["output_tokens", undefined],
      ["reasoning_tokens", 0.5],
    ] as const) {
      try {
        tokensUsed({ ...usage, [name]: wrong } as never);
        expect.unreachable();
      } catch (caught) {
        expect(isFramerailError(caught) && [caught.code, caught.issue?.path]).toEqual(["INVALID_ARGUMENT", name]);
      }
    }
    expect(() => tokensUsed(null as never)).toThrow("must be an object");
  });
});
