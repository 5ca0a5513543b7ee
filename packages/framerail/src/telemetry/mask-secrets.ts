// Takes secrets out of a text before anybody reads it: what an exception says was written by others, and may quote the
// request that failed.
// Owns: what a secret looks like. Does not own: which texts are written (logger.ts).
//   K1. Masked, then cut: a cut first could leave half a secret that no pattern knows.
//   K2. In doubt it is masked. A word too many costs an operator a look elsewhere; a key too few costs the key.
//   K3. Time grows with the length of the text, whatever it says: repetitions are bounded or begin at a border.

import { MASKED_LENGTH_MAX } from "./limits.js";

export const MASK = "[masked]";

/** Longer than any secret that a pattern has to see whole. */
const WORD_LENGTH_MAX = 2_048;

const SECRET_NAME =
  "pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:api|access|private|secret|signing|encryption|master|account|auth)[-_]?key|credentials?|signature|sig|ticket|jwt|otp";

const HEADER_NAME = "(?:proxy-)?authorization|(?:set-)?cookie";

/** From a name to its value: `=`, `: `, `": "`, `' => '`, `]=`, and the same inside a string that was quoted again. */
const GIVES = String.raw`["'\\\]]{0,8}\s{0,8}[:=]{1,3}>?\s{0,8}`;
const QUOTED = String.raw`"(?:[^"\\]|\\.){0,4096}"?|'(?:[^'\\]|\\.){0,4096}'?|\\{1,4}["'][^"']{0,4096}`;
/** Everything in brackets: of the values of a list any may be the secret. */
const BRACKETED = String.raw`[\[{(](?:${QUOTED}|[^"'\])}]){0,256}\S{0,4096}`;
const QUOTE = String.raw`\\{0,4}["']`;
/** Where a name is expected to be a value, it is the name of the next one. */
const NOT_A_NAME = String.raw`(?!${QUOTE}[\w-]{0,64}?(?:${SECRET_NAME})${QUOTE}|-[\w-]{0,64}?(?:${SECRET_NAME})\s)`;
const SPACED = String.raw`\s{1,8}`;
const LISTED = String.raw`${QUOTE}\s{0,8},\s{0,8}`;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Whole blocks and whole headers first: what is inside them looks like nothing in particular.
  [/-----BEGIN [A-Z ]{0,40}-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g, MASK],
  [new RegExp(`\\b(${HEADER_NAME})(${GIVES})(?:${QUOTED}|(?:${BRACKETED})?[^\\r\\n]*)`, "gi"), `$1$2${MASK}`],
  [/\b(bearer|basic|digest)\s{1,8}[\w.~+/=-]{4,}/gi, `$1 ${MASK}`],
  // scheme://user:password@host, where the password may hold anything but a space, and scheme://token@host.
  [/(:\/\/)[^\s/?#@:"']{0,256}:\S{0,1024}@/g, `$1${MASK}@`],
  [/(:\/\/)[^\s/?#@"']{1,1024}@/g, `$1${MASK}@`],
  // password=…, "api_key": "…", X-Api-Key: …, ?access_token=…
  [namedBy(`(?:${SECRET_NAME})${GIVES}`, `${BRACKETED}|${QUOTED}|\\S{1,4096}`), `$1${MASK}`],
  // [ 'x-api-key', '…' ], as lists of headers and of arguments have it.
  [namedBy(`(?:${SECRET_NAME}|${HEADER_NAME})${LISTED}${NOT_A_NAME}`, QUOTED), `$1${MASK}`],
  // tool --token …
  [namedBy(`(?:${SECRET_NAME})${SPACED}${NOT_A_NAME}`, `${QUOTED}|\\S{1,4096}`, "-"), `$1${MASK}`],
  [/\bfrk_[\w-]+/g, MASK],
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g, MASK],
  // Words begin with "sk" as well: the short ones end in a separator.
  [/(?<![\w-])(?:(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|hf|npm)[-_]|AIza|AKIA|ASIA)[\w-]{16,}/g, MASK],
  // Nothing that people write is so long, without a break, and mixes cases and digits: keys, tickets, digests.
  [/(?<![\w+-])(?=[\w+-]{0,256}[a-z])(?=[\w+-]{0,256}[A-Z])(?=[\w+-]{0,256}\d)[\w+-]{40,}={0,2}/g, MASK],
];

/** A value after a word that ends with a name; what stands before it is the first group. */
function namedBy(name: string, value: string, start = ""): RegExp {
  return new RegExp(`(?<![\\w-])(${start}[\\w-]{0,64}?${name})(?:${value})`, "gi");
}

/** The text without secrets, at most `lengthMax` long. */
export function maskSecrets(text: string, lengthMax: number): string {
  let masked = text.length > MASKED_LENGTH_MAX ? cutAtWord(text) : text;
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked.length > lengthMax ? `${masked.slice(0, lengthMax - 1)}…` : masked;
}

// What stands at the end of a cut could be the beginning of a secret: the broken word goes with it.
function cutAtWord(text: string): string {
  let end = MASKED_LENGTH_MAX;
  while (end > MASKED_LENGTH_MAX - WORD_LENGTH_MAX && !/\s/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
