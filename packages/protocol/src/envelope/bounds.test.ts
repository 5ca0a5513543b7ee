import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCheck } from "../schema/check.js";
import type { AgentWrapperEvent } from "./agent-event.js";
import { AGENT_EVENT_KINDS, agentCompletionSchema, agentEventSchema } from "./agent-event.js";
import { boundAgentEvent, boundCompletion } from "./bounds.js";
import {
  anyJson,
  anyText,
  bytesOf,
  EMOJI,
  HIGH,
  holds,
  LOW,
  refusalOf,
  textAround,
  throughUtf8,
} from "./testing/generators.js";

const checkEvent = compileCheck(agentEventSchema, { unknown: "refuse" });
const checkCompletion = compileCheck(agentCompletionSchema, { unknown: "refuse" });
const SUFFIX = "…(truncated)";

function bound(fields: Partial<AgentWrapperEvent>): AgentWrapperEvent[] {
  return boundAgentEvent({ agent_kind: "codex", kind: "Status", ...fields });
}

describe("channel", () => {
  test("128 bytes are kept and 129 left out, with the rest of the event intact [E-5, E-6]", () => {
    const rest = { agent_kind: "codex", kind: "Status", text: "t", message: "m", data: { n: 1 } } as const;
    expect(bound({ ...rest, channel: "c".repeat(128) })).toStrictEqual([{ ...rest, channel: "c".repeat(128) }]);
    expect(bound({ ...rest, channel: "c".repeat(129) })).toStrictEqual([rest]);
  });

  test("its bytes are counted, not its characters [E-5, E-33]", () => {
    for (const [unit, size] of [
      ["é", 2],
      ["中", 3],
      [EMOJI, 4],
    ] as const) {
      const fits = unit.repeat(Math.floor(128 / size));
      expect(bound({ channel: fits })[0]?.channel).toBe(fits);
      expect(bound({ channel: fits + unit })[0]).not.toHaveProperty("channel");
    }
    expect(bound({ channel: `${EMOJI.repeat(31)}abcd` })[0]).toHaveProperty("channel");
    expect(bound({ channel: `${EMOJI.repeat(31)}abcde` })[0]).not.toHaveProperty("channel");
  });

  test("an absent channel stays absent and an unsuggested one is kept [E-4]", () => {
    expect(bound({})[0]).not.toHaveProperty("channel");
    expect(bound({ channel: undefined as never })[0]).not.toHaveProperty("channel");
    expect(bound({ channel: "my-own" })[0]?.channel).toBe("my-own");
  });
});

describe("text", () => {
  test("65536 bytes of output pass unsplit and one more makes two events [E-7, E-8]", () => {
    const full = "x".repeat(65_536);
    expect(bound({ kind: "TextOutput", text: full }).map((event) => event.text)).toEqual([full]);
    expect(bound({ kind: "TextOutput", text: `${full}y` }).map((event) => event.text)).toEqual([full, "y"]);
  });

  test("200 KB of mixed characters come in order, within the bound, whole [E-8, E-33]", () => {
    const text = `aé中${EMOJI}`.repeat(20_480);
    const parts = bound({ kind: "TextOutput", text });
    expect(parts).toHaveLength(4);
    expect(parts.map((part) => part.text).join("")).toBe(text);
    for (const part of parts) {
      expect(part.kind).toBe("TextOutput");
      expect(bytesOf(part.text as string)).toBeLessThanOrEqual(65_536);
      expect(throughUtf8(part.text as string)).toBe(part.text);
    }
  });

  test("an emoji at every place of the border is never cut [E-8, E-33]", () => {
    for (let lead = 65_530; lead <= 65_538; lead += 1) {
      const text = `${"x".repeat(lead)}${EMOJI}y`;
      const parts = bound({ kind: "TextOutput", text }).map((event) => event.text as string);
      expect(parts.join("")).toBe(text);
      expect(parts.map(bytesOf)[0]).toBe(lead > 65_536 ? 65_536 : lead > 65_532 ? lead : Math.min(lead + 5, 65_536));
    }
  });

  test("every part has the channel, only the first the message and the data [E-8]", () => {
    const parts = bound({
      kind: "TextOutput",
      channel: "assistant",
      text: "x".repeat(140_000),
      message: "m",
      data: [1],
    });
    const head = { agent_kind: "codex", kind: "TextOutput", channel: "assistant" };
    expect(parts).toStrictEqual([
      { ...head, text: "x".repeat(65_536), message: "m", data: [1] },
      { ...head, text: "x".repeat(65_536) },
      { ...head, text: "x".repeat(140_000 - 2 * 65_536) },
    ]);
    expect(bound({ kind: "TextOutput", channel: "c".repeat(129), text: "x".repeat(65_537) })[1]).not.toHaveProperty(
      "channel",
    );
  });

  test("an output without text, or with an empty one, is one event [E-7]", () => {
    expect(bound({ kind: "TextOutput" })).toStrictEqual([{ agent_kind: "codex", kind: "TextOutput" }]);
    expect(bound({ kind: "TextOutput", text: "" })).toStrictEqual([
      { agent_kind: "codex", kind: "TextOutput", text: "" },
    ]);
  });

  test.each(AGENT_EVENT_KINDS.filter((kind) => kind !== "TextOutput"))(
    "over-long text on %s is truncated [E-34]",
    (kind) => {
      const full = "x".repeat(65_536);
      expect(bound({ kind, text: full })).toStrictEqual([{ agent_kind: "codex", kind, text: full }]);
      expect(bound({ kind, text: `${full}x` })).toStrictEqual([
        { agent_kind: "codex", kind, text: "x".repeat(65_522) + SUFFIX },
      ]);
    },
  );
});

describe("message", () => {
  test("4096 bytes are unchanged and 4097 truncated, on every kind [E-9, E-10]", () => {
    for (const kind of AGENT_EVENT_KINDS) {
      expect(bound({ kind, message: "m".repeat(4096) })[0]?.message).toBe("m".repeat(4096));
      expect(bound({ kind, message: "m".repeat(4097) })[0]?.message).toBe("m".repeat(4082) + SUFFIX);
    }
    expect(bound({ message: EMOJI.repeat(1024) })[0]?.message).toBe(EMOJI.repeat(1024));
    expect(bound({ message: EMOJI.repeat(1025) })[0]?.message).toBe(EMOJI.repeat(1020) + SUFFIX);
  });
});

describe("completion", () => {
  test("the final text is within 65536 bytes, and data within its bound [E-28]", () => {
    const full = EMOJI.repeat(16_384);
    const within = { agent_kind: "codex", exit_code: 0, final_text: full, data: { turns: 1 } };
    expect(boundCompletion(within)).toStrictEqual(within);
    const over = boundCompletion({ agent_kind: "codex", final_text: `${full}x` });
    expect(over).toStrictEqual({ agent_kind: "codex", final_text: EMOJI.repeat(16_380) + SUFFIX });
    expect(boundCompletion({ agent_kind: "codex" })).toStrictEqual({ agent_kind: "codex" });
  });
});

describe("what leaves", () => {
  test("a field that is not of the contract stays behind [E-31, C-38]", () => {
    const wide = { agent_kind: "codex", kind: "Status", raw_line: "CANARY", stdout: ["CANARY"], exit_code: 1 } as const;
    expect(boundAgentEvent(wide)).toStrictEqual([{ agent_kind: "codex", kind: "Status" }]);
    const wideEnd = { agent_kind: "codex", raw_line: "CANARY", text: "CANARY" };
    expect(boundCompletion(wideEnd)).toStrictEqual({ agent_kind: "codex" });
  });

  test("halves of pairs become U+FFFD in every text, because UTF-8 cannot carry them [E-33]", () => {
    const [event] = bound({ channel: `c${HIGH}`, text: `${LOW}t`, message: HIGH + LOW + LOW });
    expect(event).toMatchObject({ channel: "c\ufffd", text: "\ufffdt", message: `${EMOJI}\ufffd` });
    expect(boundCompletion({ agent_kind: "codex", final_text: HIGH })).toMatchObject({ final_text: "\ufffd" });
  });

  test("whatever event comes in, only events within every bound come out [E-34, C-18]", () => {
    const text = (bytes: number) => fc.option(fc.oneof(anyText, textAround(bytes)), { nil: undefined });
    const raw = fc.record({
      agent_kind: fc.string({ minLength: 1, maxLength: 40 }),
      kind: fc.constantFrom(...AGENT_EVENT_KINDS),
      channel: text(128),
      text: text(65_536),
      message: text(4096),
      data: fc.option(fc.oneof(anyJson, textAround(65_536), fc.array(textAround(30_000))), { nil: undefined }),
    });
    const property = fc.property(raw, (input) => {
      const events = boundAgentEvent(input as never);
      for (const event of events) {
        expect(checkEvent(event)).toBeUndefined();
        expect(bytesOf(event.channel ?? "")).toBeLessThanOrEqual(128);
        expect(bytesOf(event.text ?? "")).toBeLessThanOrEqual(65_536);
        expect(bytesOf(event.message ?? "")).toBeLessThanOrEqual(4096);
        expect(bytesOf(JSON.stringify(event.data ?? null))).toBeLessThanOrEqual(65_536);
        expect(JSON.parse(throughUtf8(JSON.stringify(event)))).toEqual(event);
      }
      if (input.kind === "TextOutput" && input.text !== undefined) {
        expect(events.map((event) => event.text).join("") === throughUtf8(input.text)).toBe(true);
      } else expect(events).toHaveLength(1);
    });
    holds(property, 800);
  });

  test("whatever value comes in, it is bounded or refused with a code and a field [E-34]", () => {
    const fields = { agent_kind: fc.anything(), kind: fc.anything(), text: fc.anything(), data: fc.anything() };
    const near = { agent_kind: fc.constant("codex"), kind: fc.constantFrom(...AGENT_EVENT_KINDS) };
    const values = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
      fc.record(fields, { requiredKeys: [] }),
      fc.record({ ...near, channel: fc.anything(), message: fc.anything() }, { requiredKeys: ["agent_kind", "kind"] }),
      fc.record({ ...near, data: fc.anything({ withBigInt: true, withDate: true, withSparseArray: true }) }),
    );
    const property = fc.property(values, (value) => {
      for (const [act, check] of [
        [() => boundAgentEvent(value as never), checkEvent],
        [() => [boundCompletion(value as never)], checkCompletion],
      ] as const) {
        let out: readonly unknown[] = [];
        try {
          out = act();
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_ENVELOPE", issue: { path: expect.any(String) } });
        }
        for (const one of out) expect(check(one)).toBeUndefined();
      }
    });
    holds(property, 6_000);
  });
});

describe("what is refused", () => {
  const good = { agent_kind: "codex", kind: "Status" };
  const cases: [string, unknown, string, string][] = [
    ["no event", undefined, "", "required"],
    ["null", null, "", "type"],
    ["a list", [good], "", "type"],
    ["a text", "Status", "", "type"],
    [
      "an instance",
      new (class {
        agent_kind = "codex";
        kind = "Status";
      })(),
      "",
      "type",
    ],
    [
      "a __proto__ key",
      JSON.parse('{"agent_kind":"codex","kind":"Status","__proto__":{}}'),
      "__proto__",
      "forbidden_key",
    ],
    ["no backend", { kind: "Status" }, "agent_kind", "required"],
    ["an empty backend", { ...good, agent_kind: "" }, "agent_kind", "length_min"],
    ["half a pair in the backend's name", { ...good, agent_kind: HIGH }, "agent_kind", "well_formed"],
    ["an unknown kind", { ...good, kind: "Reasoning" }, "kind", "one_of"],
    ["a number for a channel", { ...good, channel: 7 }, "channel", "type"],
    ["null for a text", { ...good, text: null }, "text", "type"],
    ["a list for an output", { ...good, kind: "TextOutput", text: ["a"] }, "text", "type"],
    ["an object for a message", { ...good, message: { text: "m" } }, "message", "type"],
  ];

  test.each(cases)("%s, naming the field and the rule [E-1, E-2, E-34]", (_name, raw, path, rule) => {
    const refusal = refusalOf(() => boundAgentEvent(raw as never));
    expect(refusal).toMatchObject({ code: "INVALID_ENVELOPE", retry: "never", issue: { path, rule } });
  });

  test("a completion of wrong types, naming the field and the rule [E-28]", () => {
    for (const [fields, path] of [
      [{ exit_code: 1.5 }, "exit_code"],
      [{ final_text: 1 }, "final_text"],
    ] as const) {
      const refusal = refusalOf(() => boundCompletion({ agent_kind: "codex", ...fields } as never));
      expect(refusal).toMatchObject({ code: "INVALID_ENVELOPE", issue: { path, rule: "type" } });
    }
    for (const raw of [null, [], "codex", new Map([["agent_kind", "codex"]])] as never[]) {
      expect(refusalOf(() => boundCompletion(raw))).toMatchObject({
        code: "INVALID_ENVELOPE",
        issue: { path: "", rule: "type" },
      });
    }
  });

  test("an event whose field throws while it is read, with that error as the cause [E-34]", () => {
    const cause = new RangeError("boom");
    const raw = {
      ...good,
      get text(): string {
        throw cause;
      },
    };
    expect(refusalOf(() => boundAgentEvent(raw as never))).toMatchObject({ code: "INVALID_ENVELOPE", cause });
    expect(
      refusalOf(() =>
        boundCompletion({
          get agent_kind(): string {
            throw cause;
          },
        }),
      ),
    ).toMatchObject({ cause });
  });
});
