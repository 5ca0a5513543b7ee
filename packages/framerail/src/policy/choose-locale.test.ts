import { expect, test } from "vitest";
import { chooseLocale, fallbacksOf } from "./choose-locale.js";
import { WANTED_LENGTH_MAX, WANTED_LOCALES_MAX } from "./limits.js";
import { openBench, registryOf, SHOP } from "./testing/policy-bench.js";

const registry = registryOf([], { en: {}, de: {}, "de-AT": {}, "zh-Hant": {}, "pt-BR": {} });
const choose = (wanted: string | readonly string[] | undefined) => chooseLocale(wanted, registry);

test("a wish gets its own tag, then its language, then the default [W-GAP-4]", () => {
  expect(choose("de-AT")).toBe("de-AT");
  expect(choose("de-CH")).toBe("de");
  expect(choose("zh-Hant-TW")).toBe("zh-Hant");
  expect(choose("fr-CA")).toBe("en");
  expect(choose(undefined)).toBe("en");
});

test("a sibling of the wanted language is no match [W-GAP-4]", () => {
  expect(choose("pt-PT")).toBe("en");
  expect(choose("zh-CN")).toBe("en");
});

test("an Accept-Language list is served by weight, then by order [W-GAP-4]", () => {
  expect(choose("fr;q=0.3, en;q=0.5, de-CH")).toBe("de");
  expect(choose("de;q=0.5,pt-BR;q=0.5")).toBe("de");
  expect(choose("de;q=0, pt-BR;q=0.1")).toBe("pt-BR");
  expect(choose("de;q=0")).toBe("en");
  expect(choose("fr, *;q=0.5, de;q=0.1")).toBe("en");
  expect(choose(["fr", "de-AT", "en"])).toBe("de-AT");
});

test("case and underscores do not matter, and nonsense is passed over", () => {
  expect(choose("DE_at")).toBe("de-AT");
  expect(choose(" ,;;q=2, -, ;q=1, de;q=high, pt-br")).toBe("pt-BR");
  expect(choose("de;q=2, de;q=Infinity, pt-BR;q=1")).toBe("pt-BR");
  expect(choose("__proto__, constructor, \u0000")).toBe("en");
});

test("of a long wish only the start is read", () => {
  expect(choose(`${"fr,".repeat(WANTED_LOCALES_MAX - 1)}de`)).toBe("de");
  expect(choose(`${"fr,".repeat(WANTED_LOCALES_MAX)}de`)).toBe("en");
  expect(choose(`${" ".repeat(WANTED_LENGTH_MAX)}de`)).toBe("en");
});

test("the fallbacks of a tag end with the default, each once", () => {
  expect(fallbacksOf("de-AT", registry)).toEqual(["de-AT", "de", "en"]);
  expect(fallbacksOf("en", registry)).toEqual(["en"]);
});

test("a key that the reader's locale lacks comes from its language, then from the default [W-GAP-4]", () => {
  const locales = new Map(SHOP.locales);
  locales.set("de-AT", { tag: "de-AT", messages: new Map([["status.comparing", "Schau ma mal…"]]) });
  const stage = openBench({ registry: { ...SHOP, locales }, locale: "de-AT,en;q=0.5" });
  stage.status("comparing");
  stage.status("reading_pages", { count: 2 });
  stage.status("asking_partner");
  expect(stage.messages()).toEqual(["Schau ma mal…", "2 Seiten werden gelesen…", "Asking a partner…"]);
});
