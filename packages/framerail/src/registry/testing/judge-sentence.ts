// What a reader must never meet in a sentence that is written for people, in any language: rules that a machine can hold.
// Whether a sentence sounds well is for people; these say when it cannot.

import { ERROR_CODES } from "@framerail/protocol";

const LENGTH_MAX = 80;

/** Letters that a sentence of the language has, and letters that would be another language's. */
const LETTERS: Readonly<Record<string, { readonly has: RegExp; readonly hasNot: RegExp }>> = {
  ar: { has: /\p{Script=Arabic}/u, hasNot: /[A-Za-z]|[\p{Script=Hiragana}\p{Script=Han}]/u },
  ja: { has: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, hasNot: /[A-Za-z]|\p{Script=Arabic}/u },
};
const LATIN = { has: /[A-Za-z]/, hasNot: /[\p{Script=Arabic}\p{Script=Hiragana}\p{Script=Han}]/u };

/** The rules that the sentence breaks, by name; `words`: ids and the like that must not be in it. */
export function judgeSentence(tag: string, sentence: string, words: Iterable<string> = []): string[] {
  const { has, hasNot } = LETTERS[tag] ?? LATIN;
  const rules: Readonly<Record<string, boolean>> = {
    "is empty": sentence.trim() === "",
    "is not trimmed": sentence !== sentence.trim(),
    "is too long": sentence.length > LENGTH_MAX,
    "names a code": ERROR_CODES.some((code) => sentence.includes(code)) || /\b[A-Z]+_[A-Z_]+\b/.test(sentence),
    "names an id": [...words].some((word) => sentence.includes(word)) || /\b[a-z]+_[a-z_]+\b/.test(sentence),
    "has a placeholder left": /[{}]|undefined|NaN|\[object/.test(sentence),
    "is not in its language": sentence.trim() !== "" && (!has.test(sentence) || hasNot.test(sentence)),
  };
  return Object.keys(rules).filter((rule) => rules[rule]);
}
