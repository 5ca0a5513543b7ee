// Bugs to plant in what the terminal commands show: each guard and bound with the smallest change that breaks it.
// A guard whose bug no test notices is not proved; `npx tsx tidy/planted/run.ts cli/terminal` plants these alone.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

const inTerminal = (name: string, test = name) => plantIn(`cli/terminal/${name}.ts`, `cli/terminal/${test}.test.ts`);

const strip = inTerminal("strip-controls");
const width = inTerminal("display-width");
const screen = inTerminal("screen");
const view = inTerminal("turn-view");
const line = inTerminal("frame-line");
const pace = inTerminal("pace-frames");
const prompt = inTerminal("prompt");
const contact = inTerminal("first-contact");
const server = inTerminal("server-options", "first-contact");
const refusal = inTerminal("explain-refusal");

export const TERMINAL_PLANTS: readonly Plant[] = [
  strip("a pair of surrogates is not torn", "isHighSurrogate(shown.charCodeAt(shown.length - 1))", "false"),
  strip("a string sequence ends with its line", 'if (unit === LINE_FEED) return { again: "text" };', ""),
  strip("a sequence has a maximum", "length >= SEQUENCE_LENGTH_MAX", "length > 4 * SEQUENCE_LENGTH_MAX"),
  strip("a sequence in one character", 'if (unit === CSI) return { to: "parameters" };', ""),
  strip("a string in one character", 'if (STRING_CONTROLS.has(unit)) return { to: "string" };', ""),
  strip("an escape inside a string may begin another", '{ again: "escape" }', '{ to: "string" }'),
  strip("C1 controls", "isWithin(unit, DELETE, 0x9f)", "unit === DELETE"),
  strip("overrides of direction", " || turnsDirection(unit)", ""),
  strip("isolates of direction", " || isWithin(unit, 0x2066, 0x2069)", ""),
  strip("a name stays on its line", '.replaceAll(/\\s+/g, " ")', ""),
  width("wide characters", "WIDE.test(character) ? 2 : 1", "1"),
  width("combining marks", "if (INVISIBLE.test(character)) return 0;", ""),
  width("pictures by a selector", "if (character === EMOJI_SELECTOR) return 1;", ""),
  width("the ellipsis takes a column", "columns - displayWidth(CUT)", "columns"),
  width(
    "a cut keeps what is one character together",
    "GRAPHEMES.segment(text)",
    "[...text].map((segment) => ({ segment }))",
  ),
  screen(
    "the status is gone before text",
    "      setStatus(undefined);\n      terminal.out(shown);",
    "      terminal.out(shown);",
  ),
  screen("the last column stays free", "device.columns() - 1", "device.columns()"),
  screen("a pipe gets the answer alone", "if (midLine && device.isShared)", "if (midLine)"),
  screen("no escape without a lively terminal", "(device.isLively ? `", "(device.isShared ? `"),
  screen("a status is told once", "    if (said === status) return;\n", ""),
  screen("the next answer starts clean", "      strip = createControlStripper();\n", ""),
  screen("an answer ends with a line feed", 'if (midLine) terminal.out("\\n");', ""),
  view("a status outranks thinking", "hasStatus ? undefined : ", ""),
  view("times are those of the frames", "toolStarts.get(id)", "undefined"),
  view(
    "a failure that ends nothing is told",
    "frame.is_final ? undefined : ",
    "frame.is_final || !frame.is_final ? undefined : ",
  ),
  line("the bytes of NDJSON", "encodeNdjson(JSON.stringify(frame))", 'JSON.stringify(frame).concat("\\n")'),
  line("JSON on a screen commands nothing", "isShared ? line.replaceAll(OBEYED, escapeCharacter) : line", "line"),
  line("a line of the screen", "cutToWidth(line.trimEnd(), columns)", "line.trimEnd()"),
  line("no commands in a line", "toOneLine(rest)", "rest"),
  pace("the longest pause", "Math.min(gapMs, REPLAY_GAP_MS_MAX)", "gapMs"),
  pace("the speed", "REPLAY_GAP_MS_MAX) / speed", "REPLAY_GAP_MS_MAX)"),
  pace("time does not go back", "Math.max(0, at - (previousAt ?? at))", "at - (previousAt ?? at)"),
  pace("a replay can be left", "    if (signal.aborted) return;\n", ""),
  prompt("lines that wait have a maximum", "if (lines.length >= LINES_WAITING_MAX) reader.pause();", ""),
  prompt("lines that came early wait", "    lines.push(line);\n", ""),
  contact("a refused connection is final", 'if (code === "ECONNREFUSED")', 'if (code === "")'),
  contact("a page is no server", "if (!speaks) throw", "if (false) throw"),
  contact("another server's refusal is none of ours", "type === REFUSAL", "true"),
  contact("a server that cannot answer is told at once", "if (status >= 500) throw", "if (false) throw"),
  contact("another protocol is told", 'code.startsWith("HPE_")', "false"),
  server("an address has a scheme", 'url?.protocol === "http:" || url?.protocol === "https:"', "url"),
  server("a key is what a header can hold", "if (KEY.test(key)) return key;", "return key;"),
  refusal("no key is told apart from a wrong one", "if (!hasKey) return", "if (false) return"),
  refusal(
    "our own refusals are not explained twice",
    "isAnswer ? notAccepted(asked) : undefined",
    'notAccepted(asked) ?? "refused"',
  ),
];
