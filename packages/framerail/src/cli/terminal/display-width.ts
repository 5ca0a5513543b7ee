// How many columns a text takes on a terminal, and its beginning that fits into some.
//   W1. In doubt a text is counted wider than it is: a line that is cut too early is whole, one that wraps is not.
//   W2. A cut never goes through what a reader sees as one character.

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Combining marks, and what is there but not to be seen. */
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** East Asian scripts and forms, and emoji that are drawn as pictures. */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
/** Makes a picture of the sign before it. */
const EMOJI_SELECTOR = "\ufe0f";
const CUT = "…";

export function displayWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

// W1: of signs that are joined into one picture, each is counted; not every terminal joins them.
function widthOf(character: string): number {
  if (character === EMOJI_SELECTOR) return 1;
  if (INVISIBLE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The text where it fits, otherwise its beginning and an ellipsis. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = "";
  let left = columns - displayWidth(CUT);
  // W2
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= displayWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return columns < 1 ? "" : `${kept.trimEnd()}${CUT}`;
}
