import { readdirSync, readFileSync } from "node:fs";
import type { Draft, FramerailError } from "@framerail/protocol";
import { createFrameEncoder } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { createPolicy } from "./create-policy.js";
import { STATUS_MESSAGE_BYTES_MAX, STATUS_VALUE_LENGTH_MAX } from "./limits.js";
import type { UnfilledMessage } from "./render-status.js";
import { createFakeClock } from "./testing/fake-clock.js";
import { entryOf, openBench, registryOf, SHOP } from "./testing/policy-bench.js";

const oneMessage = (...[locale, messages]: [string, { [tag: string]: string }]) => {
  const texts = Object.entries(messages).map(([tag, text]) => [tag, { "status.busy": text }]);
  const unfilled: UnfilledMessage[] = [];
  const registry = registryOf([entryOf("busy")], Object.fromEntries(texts));
  return { ...openBench({ registry, locale, onUnfilled: (message) => unfilled.push(message) }), unfilled };
};

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return "none";
  } catch (error) {
    return (error as FramerailError).code;
  }
};

describe("words", () => {
  test("one id gives the sentence of each reader's language in one status frame [W-FR-3b] [W-AC-1] [W-POL-2]", () => {
    const encode = (locale: string) => {
      const stage = openBench({ locale });
      stage.status("reading_pages", { count: 3 });
      const [draft] = stage.drafts;
      if (draft === undefined) throw new Error("nothing was shown");
      const encoder = createFrameEncoder({ responseId: "turn-1", clock: createFakeClock() });
      return JSON.parse(encoder.encode(draft.type, 2, draft.payload)) as unknown;
    };
    const frame = (message: string) => ({
      event_type: "status",
      version: "0.5",
      timestamp: "1970-01-01T00:16:40.000Z",
      response_id: "turn-1",
      seq: 2,
      data: { event_id: "reading_pages", message },
    });
    expect(encode("en-GB")).toEqual(frame("Reading 3 pages…"));
    expect(encode("de-DE,de;q=0.9,en;q=0.5")).toEqual(frame("3 Seiten werden gelesen…"));
  });

  test("a deprecated id of an older build still renders [I-6]", () => {
    const stage = openBench();
    stage.status("asking_partner");
    expect(stage.messages()).toEqual(["Asking a partner…"]);
  });

  test("rendering is done when the call returns, and reaches for no model, no file and no network [W-NFR-4]", () => {
    const stage = openBench();
    stage.status("comparing");
    expect(stage.messages()).toEqual(["Comparing…"]);
    const sources = readdirSync(import.meta.dirname).filter((name) => /(?<!\.test)\.ts$/.test(name));
    const imports = sources.flatMap((name) =>
      [...readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/(?:from|import\() *"([^"]+)"/g)].map(
        ([, from]) => from as string,
      ),
    );
    const outside = new Set(imports.filter((from) => !from.startsWith("./")));
    expect([...outside].sort()).toEqual(["../registry/registry.js", "@framerail/protocol", "intl-messageformat"]);
  });
});

test("a rendering decision takes far less than a millisecond, nineteen times of twenty at least [W-NFR-4]", () => {
  const times: number[] = [];
  const policy = createPolicy({ registry: SHOP, locale: "en", clock: createFakeClock() });
  for (let round = 0; round < 2_000; round += 1) {
    const drafts: Draft[] = [];
    const turn = policy.open({ emit: (draft) => drafts.push(draft) });
    const began = performance.now();
    turn.apply({ type: "status", event_id: "reading_pages", values: { count: round } }, "shop");
    times.push(performance.now() - began);
    expect(drafts).toHaveLength(1);
  }
  times.sort((one, other) => one - other);
  expect(times[1_899]).toBeLessThan(1);
});

describe("a message that cannot be filled", () => {
  test("gives way to the default locale's, and operators hear of it", () => {
    const stage = oneMessage("de", { de: "Lese {title}…", en: "Reading…" });
    stage.status("busy");
    expect(stage.messages()).toEqual(["Reading…"]);
    expect(stage.unfilled).toMatchObject([{ render_key: "status.busy", locale: "de" }]);
  });

  test("gives way too when all that it would show is blank", () => {
    const stage = oneMessage("de", { de: "{title}", en: "Reading…" });
    stage.status("busy", { title: " \n" });
    expect(stage.messages()).toEqual(["Reading…"]);
    expect(stage.unfilled).toEqual([]);
  });

  test("gives way to the locale's general sentence, and without one to a sign that needs no language", () => {
    const entries = [entryOf("busy")];
    const de = { "status.busy": "Lese {title}…", "status.fallback": "Einen Moment…" };
    const registry = registryOf(entries, { de, en: { "status.busy": "Reading {title}…" } });
    for (const [locale, message] of [
      ["de", "Einen Moment…"],
      ["en", "…"],
    ] as const) {
      const stage = openBench({ registry, locale });
      stage.status("busy", { title: null });
      expect(stage.messages()).toEqual([message]);
    }
  });

  test("gives way when it would show a number and gets none, instead of telling the reader of a NaN", () => {
    for (const de of [
      "{n, plural, one {# Seite} other {# Seiten}}",
      "{n, number} Seiten",
      "{n, selectordinal, other {#.}}",
    ]) {
      const stage = oneMessage("de", { de, en: "Reading…" });
      for (const n of ["several", true]) stage.status("busy", { n });
      expect(stage.messages(), de).toEqual(["Reading…"]);
      expect(stage.unfilled, de).toMatchObject([
        { render_key: "status.busy", locale: "de" },
        { render_key: "status.busy", locale: "de" },
      ]);
      stage.status("busy", { n: "12" });
      stage.turn.flush();
      expect(stage.messages().at(-1), de).toMatch(/^12/);
    }
  });

  test("does not give way for a number that it chooses its words by and does not show", () => {
    const stage = oneMessage("en", { en: "Reading {n, plural, one {a page} other {pages}}…" });
    stage.status("busy", { n: "several" });
    expect(stage.messages()).toEqual(["Reading pages…"]);
    const chosen = oneMessage("en", { en: "{how, select, done {Done} other {{n, number} left}}" });
    chosen.status("busy", { how: "done" });
    expect(chosen.messages()).toEqual(["Done"]);
  });

  test("shows nothing of a value that is no plain text or number", () => {
    for (const values of [{ x: { secret: 1 } }, { x: ["secret"] }, { x: null }, undefined]) {
      const stage = oneMessage("en", { en: "Reading {x}…" });
      stage.status("busy", values);
      expect(stage.messages(), JSON.stringify(values)).toEqual(["…"]);
    }
    for (const name of ["constructor", "toString", "__proto__"]) {
      const stage = oneMessage("en", { en: `Reading {${name}}…` });
      stage.status("busy", { x: 1 });
      expect(stage.messages(), name).toEqual(["…"]);
    }
  });
});

describe("what is shown", () => {
  test("has only the values its message names, text, numbers and truth values alike", () => {
    const stage = oneMessage("en", { en: "Reading {title}, {n, number}, {deep, select, true {deep} other {flat}}" });
    stage.status("busy", { title: "<b>A</b>", n: 1234, deep: true, password: "secret" });
    expect(stage.messages()).toEqual(["Reading <b>A</b>, 1,234, deep"]);
  });

  test("is one well-formed line", () => {
    const stage = oneMessage("en", { en: "Reading <i>{title}</i>" });
    stage.status("busy", { title: "one\n\ttwo\u0000three \ud800" });
    expect(stage.messages()).toEqual(["Reading <i>one two three \ufffd</i>"]);
  });

  test("stays within its bound, and so does every value in it", () => {
    const stage = oneMessage("en", { en: "{title}" });
    stage.status("busy", { title: "x".repeat(STATUS_VALUE_LENGTH_MAX + 1) });
    expect(stage.messages()[0]).toBe(`${"x".repeat(STATUS_VALUE_LENGTH_MAX - 1)}…`);
    const smiles = oneMessage("en", { en: "{title}" });
    smiles.status("busy", { title: "😀".repeat(STATUS_VALUE_LENGTH_MAX) });
    expect(smiles.messages()).toEqual([`${"😀".repeat(STATUS_VALUE_LENGTH_MAX / 2 - 1)}…`]);
    const long = oneMessage("en", { en: "語".repeat(STATUS_MESSAGE_BYTES_MAX) });
    long.status("busy");
    const [message = ""] = long.messages();
    expect(message.endsWith("語…")).toBe(true);
    const bytes = new TextEncoder().encode(message).length;
    expect(bytes).toBeLessThanOrEqual(STATUS_MESSAGE_BYTES_MAX);
    expect(bytes).toBeGreaterThan(STATUS_MESSAGE_BYTES_MAX - 6);
  });
});

describe("a catalogue without words", () => {
  test("is refused before any turn: a missing message, a broken one, a locale that is none", () => {
    const open = (tag: string, key: string, text: string) => () =>
      openBench({ registry: registryOf([entryOf("busy")], { [tag]: { [key]: text } }), locale: tag });
    expect(codeOf(open("en", "status.other", "x"))).toBe("INVALID_REGISTRY");
    expect(codeOf(open("en", "status.busy", "Reading {n"))).toBe("INVALID_REGISTRY");
    expect(codeOf(open("no_such_tag!", "status.busy", "x"))).toBe("INVALID_REGISTRY");
    expect(codeOf(open("en", "status.busy", "x"))).toBe("none");
  });

  test("an id with the name of an event or a frame is refused, so that no frame type is a status [W-POL-6]", () => {
    for (const id of ["text", "tool_completed", "node_enter"]) {
      const registry = registryOf([entryOf(id)], { en: { [`status.${id}`]: "x" } });
      expect(
        codeOf(() => openBench({ registry })),
        id,
      ).toBe("INVALID_REGISTRY");
    }
  });
});
