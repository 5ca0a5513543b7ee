// Compares what a page shows with what was printed. What differs from run to run is a placeholder on the page.
//   M1. A placeholder that names one thing stands for the same text everywhere on its page: `<turn>` is one turn.
//   M2. A line that is `…` alone stands for any lines, or none; everything else is compared to the letter.
//   M3. Tools that run side by side end in any order: `✓` lines that follow one another are compared in one.

/** What each placeholder may stand for. `<turn2>` is another turn than `<turn>`. */
const PLACEHOLDERS: Readonly<Record<string, { readonly pattern: string; readonly isOneThing: boolean }>> = {
  turn: { pattern: "[0-9a-f-]{36}", isOneThing: true },
  session: { pattern: "[0-9a-f-]{36}", isOneThing: true },
  conversation: { pattern: "[0-9a-f-]{36}", isOneThing: true },
  message: { pattern: "msg_[0-9a-f-]{36}", isOneThing: true },
  call: { pattern: String.raw`call_\w+`, isOneThing: true },
  ticket: { pattern: String.raw`[\w-]+`, isOneThing: true },
  hash: { pattern: "[0-9a-f]{8,64}", isOneThing: true },
  time: { pattern: String.raw`(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|\d{13})`, isOneThing: false },
  seconds: { pattern: String.raw`\d+\.\d+`, isOneThing: false },
  n: { pattern: String.raw`\d+`, isOneThing: false },
};

const PLACEHOLDER = new RegExp(`<((${Object.keys(PLACEHOLDERS).join("|")})\\d?)>`, "g");
const ANY_LINES = "…";
const TOOL_LINE = "✓ ";

/** What is wrong, or undefined. `bound` is what the page's placeholders stand for so far, and grows by this match. */
export function matchOutput(shown: string, printed: string, bound: Map<string, string>): string | undefined {
  const lines = sortTools(shown.trimEnd().split("\n"));
  const text = `${sortTools(printed.trimEnd().split("\n")).join("\n")}\n`;
  const match = matchLines(lines, text, bound, "$");
  if (match === undefined) return explain(lines, text, bound);
  for (const [name, value] of Object.entries(match)) if (value !== undefined) bound.set(name, value);
  return undefined;
}

/** A text in which each placeholder of one thing is what it stands for; undefined where that is not known yet. */
export function fillPlaceholders(text: string, bound: ReadonlyMap<string, string>): string | undefined {
  const isKnown = [...text.matchAll(PLACEHOLDER)].every(([, name = ""]) => bound.has(name));
  return isKnown ? text.replace(PLACEHOLDER, (_, name: string) => bound.get(name) ?? "") : undefined;
}

// M3
function sortTools(lines: readonly string[]): string[] {
  const sorted: string[] = [];
  let tools: string[] = [];
  for (const line of [...lines, undefined]) {
    if (line?.startsWith(TOOL_LINE)) {
      tools.push(line);
      continue;
    }
    sorted.push(...tools.sort());
    tools = [];
    if (line !== undefined) sorted.push(line);
  }
  return sorted;
}

type Groups = Readonly<Record<string, string | undefined>>;

function matchLines(lines: readonly string[], text: string, bound: Map<string, string>, end: string) {
  const named = new Set<string>();
  const source = lines.map((line) => (line === ANY_LINES ? "(?:.*\n)*?" : `${patternOf(line, bound, named)}\n`));
  const match = new RegExp(`^${source.join("")}${end}`).exec(text);
  return match === null ? undefined : ((match.groups ?? {}) as Groups);
}

function patternOf(line: string, bound: Map<string, string>, named: Set<string>): string {
  let pattern = "";
  let from = 0;
  for (const { 0: whole, 1: name = "", 2: kind = "", index } of line.matchAll(PLACEHOLDER)) {
    pattern += literal(line.slice(from, index)) + placeholderPattern(name, kind, bound, named);
    from = index + whole.length;
  }
  return pattern + literal(line.slice(from));
}

// M1
function placeholderPattern(name: string, kind: string, bound: Map<string, string>, named: Set<string>): string {
  const { pattern = "", isOneThing = false } = PLACEHOLDERS[kind] ?? {};
  if (!isOneThing) return pattern;
  const value = bound.get(name);
  if (value !== undefined) return literal(value);
  if (named.has(name)) return `\\k<${name}>`;
  named.add(name);
  return `(?<${name}>${pattern})`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Names the first line of the page that fits nothing, and shows all that was printed. */
function explain(lines: readonly string[], text: string, bound: Map<string, string>): string {
  let fits = 0;
  while (fits < lines.length && matchLines(lines.slice(0, fits + 1), text, bound, "") !== undefined) fits += 1;
  const where = fits === lines.length ? "more was printed than is shown" : `no such line: ${lines[fits]}`;
  return `${where}\n--- printed\n${text}---`;
}
