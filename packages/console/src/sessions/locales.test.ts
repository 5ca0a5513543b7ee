import { expect, test } from "vitest";
import { directionOf, listLocales, preferredLocale } from "./locales.js";

test("five languages are always there, and each tells its own name", () => {
  const locales = listLocales(["pt-BR", "de"]);
  expect(locales.map(({ tag }) => tag)).toEqual(["en", "es", "de", "ja", "ar", "pt-BR"]);
  expect(locales.find(({ tag }) => tag === "ja")?.name).toBe("日本語");
  expect(listLocales(["not a tag"]).at(-1)).toEqual({ tag: "not a tag", name: "not a tag" });
});

test("Arabic and Hebrew are written from the right, the others are not", () => {
  expect(["ar", "ar-EG", "he", "en", "de-AT", "ja"].map(directionOf)).toEqual([
    "rtl",
    "rtl",
    "rtl",
    "ltr",
    "ltr",
    "ltr",
  ]);
});

test("the first language of the browser that is there is taken, and English where none is", () => {
  const locales = listLocales([]);
  expect(preferredLocale(["tlh", "de-AT", "en"], locales)).toBe("de");
  expect(preferredLocale(["tlh"], locales)).toBe("en");
});
