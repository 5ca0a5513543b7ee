// Text on its way into JSON and onto a line: one definition of well-formed, of quoting and of size, used by every encoder.
//   T1. What `quote` returns is one JSON string, on one line for every reader: U+2028, U+2029 and U+0085 are written as
//       escapes, because many readers of lines cut at them although SSE and NDJSON do not.
//   T2. JSON.parse(quote(text)) === text for every string, and its UTF-8 bytes read back the same for every well-formed one.

const LONE_SURROGATE = /\p{Surrogate}/u;
/** Bound once: an engine has many kinds of strings, and looking the method up on each kind costs more than the call. */
const nativeIsWellFormed = (String.prototype as { isWellFormed?(this: string): boolean }).isWellFormed;

/** False when the text holds half of a surrogate pair, which no UTF-8 can carry. */
export const isWellFormed: (text: string) => boolean =
  nativeIsWellFormed === undefined ? (text) => !LONE_SURROGATE.test(text) : (text) => nativeIsWellFormed.call(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON must escape.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\u0085\u2028\u2029]/;
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isSeparator = (unit: number) => unit === 0x2028 || unit === 0x2029 || unit === 0x85;

/** What JSON writes for each code unit up to the backslash. */
const ESCAPES = /* @__PURE__ */ escapesUpTo(BACKSLASH);

function escapesUpTo(last: number): readonly string[] {
  return Array.from({ length: last + 1 }, (_, unit) => JSON.stringify(String.fromCharCode(unit)).slice(1, -1));
}

/** The JSON string of a well-formed text. */
export function quote(text: string): string {
  return `"${escapeText(text)}"`;
}

/** What stands between the quotes of a text's JSON string. Plain text, the common case, is scanned once and is itself. */
export function escapeText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? escapeUnits(text) : text;
}

// JSON.stringify of a lone string costs several times this loop, and would not escape the separators.
function escapeUnits(text: string): string {
  let escaped = "";
  let copied = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const plain = unit < 0x85 ? unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH : !isSeparator(unit);
    if (plain) continue;
    escaped += text.slice(copied, index) + (ESCAPES[unit] ?? escapeCodeUnit(text.charAt(index)));
    copied = index + 1;
  }
  return escaped + text.slice(copied);
}

/**
 * The parts as one string in one piece, for what is made once and starts many strings: `+` only links its operands, and
 * whoever reads the whole then walks every link of every part again.
 */
export function weld(...parts: readonly string[]): string {
  return parts.join("");
}

/** JSON text with every line separator inside its strings written as an escape. Outside strings JSON cannot hold one. */
export function escapeLineSeparators(jsonText: string): string {
  // Three searches for one character are native scans and far cheaper than one pass of a regular expression.
  const clean = !jsonText.includes("\u0085") && !jsonText.includes("\u2028") && !jsonText.includes("\u2029");
  return clean ? jsonText : jsonText.replace(LINE_SEPARATORS, escapeCodeUnit);
}

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** UTF-8 bytes of a text; a lone surrogate counts three, as the replacement character it would become. */
export function countBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 2;
      index += 1;
    } else bytes += 2;
  }
  return bytes;
}

/** Whether a text is over a bound in bytes. A text far below it is never scanned. */
export function exceedsBytes(text: string, bytesMax: number): boolean {
  if (text.length * 3 <= bytesMax) return false;
  return text.length > bytesMax || countBytes(text) > bytesMax;
}

/** The largest index at or before `end` units whose prefix is at most `bytesMax` bytes and cuts no character. */
export function cutAtBytes(text: string, bytesMax: number, start = 0): number {
  let bytes = 0;
  let index = start;
  while (index < text.length) {
    const point = text.codePointAt(index) as number;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > bytesMax) return index;
    index += point < 0x10000 ? 1 : 2;
  }
  return index;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
