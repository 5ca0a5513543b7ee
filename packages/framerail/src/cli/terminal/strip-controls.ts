// Takes out of a model's text what would command the terminal instead of being shown on it.
// Owns: which characters and sequences those are. Does not own: where text is written (screen.ts).
//   C1. What comes out holds no control character but line feed and tab, whatever went in and however it was cut.
//   C2. A sequence that began in one piece is taken out of the next one too; a pair of surrogates is never torn.
//   C3. Nothing is swallowed for ever: a string sequence without an end is over at the end of its line, or after
//       SEQUENCE_LENGTH_MAX. What follows is harmless, because its introducer is gone.
//   C4. Characters that turn the direction of what stands after them are taken out: a line must read as it is.

import { unreachable } from "@framerail/protocol";
import { SEQUENCE_LENGTH_MAX } from "./limits.js";

const BEL = 0x07;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
const CSI = 0x9b;
const STRING_TERMINATOR = 0x9c;
/** After ESC: `[`. */
const CSI_LETTER = 0x5b;
/** After ESC: P, X, ], ^ and _ begin DCS, SOS, OSC, PM and APC. */
const STRING_LETTERS: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
/** The same five in one character. */
const STRING_CONTROLS: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
const STRING_ENDS: ReadonlySet<number> = new Set([BEL, CANCEL, SUBSTITUTE, STRING_TERMINATOR]);

/** Where in a sequence we are. `string_escape`: an ESC inside a string, which ends it if a backslash comes. */
type State = "text" | "escape" | "intermediate" | "parameters" | "string" | "string_escape";

/** What a character does: it is shown, taken out, or judged once more as what begins after a sequence. */
type Step = "shown" | { readonly to: State } | { readonly again: State };

/** Takes the next piece of a text and gives what can be shown of it. */
export type StripControls = (piece: string) => string;

export function createControlStripper(): StripControls {
  let state: State = "text";
  let length = 0;
  let held = "";

  const keeps = (unit: number): boolean => {
    for (;;) {
      const step = state !== "text" && length >= SEQUENCE_LENGTH_MAX ? { again: "text" as const } : next(state, unit);
      if (step === "shown") return true;
      length = state === "text" ? 0 : length + 1;
      if ("to" in step) {
        state = step.to;
        return false;
      }
      state = step.again;
      length = 0;
    }
  };

  return (piece) => {
    let shown = held;
    for (let index = 0; index < piece.length; index += 1) {
      if (keeps(piece.charCodeAt(index))) shown += piece.charAt(index);
    }
    // C2
    held = isHighSurrogate(shown.charCodeAt(shown.length - 1)) ? shown.slice(-1) : "";
    return shown.slice(0, shown.length - held.length);
  };
}

/** A name or a sentence of somebody else's, as a part of one line of ours. */
export function toOneLine(text: string): string {
  return createControlStripper()(text).replaceAll(/\s+/g, " ").trim();
}

function next(state: State, unit: number): Step {
  switch (state) {
    case "text":
      return nextInText(unit);
    case "escape":
      if (unit === ESCAPE) return { to: "escape" };
      if (unit === CSI_LETTER) return { to: "parameters" };
      if (STRING_LETTERS.has(unit)) return { to: "string" };
      return nextInEscape(unit);
    case "intermediate":
      return nextInEscape(unit);
    case "parameters":
      if (isWithin(unit, 0x20, 0x3f)) return { to: "parameters" };
      return isWithin(unit, 0x40, 0x7e) ? { to: "text" } : { again: "text" };
    case "string":
      if (unit === ESCAPE) return { to: "string_escape" };
      // C3
      if (unit === LINE_FEED) return { again: "text" };
      return { to: STRING_ENDS.has(unit) ? "text" : "string" };
    case "string_escape":
      return unit === BACKSLASH ? { to: "text" } : { again: "escape" };
    default:
      return unreachable(state);
  }
}

function nextInText(unit: number): Step {
  if (unit === ESCAPE) return { to: "escape" };
  if (unit === CSI) return { to: "parameters" };
  if (STRING_CONTROLS.has(unit)) return { to: "string" };
  return isControl(unit) || turnsDirection(unit) ? { to: "text" } : "shown";
}

/** Any number of intermediate characters, and a last one. */
function nextInEscape(unit: number): Step {
  if (isWithin(unit, 0x20, 0x2f)) return { to: "intermediate" };
  return isWithin(unit, 0x30, 0x7e) ? { to: "text" } : { again: "text" };
}

// C1
function isControl(unit: number): boolean {
  if (unit === LINE_FEED || unit === TAB) return false;
  return unit < 0x20 || isWithin(unit, DELETE, 0x9f);
}

// C4
function turnsDirection(unit: number): boolean {
  return isWithin(unit, 0x202a, 0x202e) || isWithin(unit, 0x2066, 0x2069);
}

function isHighSurrogate(unit: number): boolean {
  return isWithin(unit, 0xd800, 0xdbff);
}

function isWithin(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
