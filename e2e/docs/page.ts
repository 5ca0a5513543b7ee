// A page of the documentation as a row of blocks of code, each of which says by its info string how it is run.
// Owns: which info strings there are. Does not own: running anything.
//   P1. A fence whose info string is not in the table is refused, and so is a block that is fenced in another way: there
//       is no block that nobody looks at.
//   P2. A block that is not run says why.
//   P3. An output belongs to the block right before it.
//   P4. What a page calls by a name of its own is called by this run's: ports, the database, the server of a command that
//       names none.

/** Where on which page something is wrong. */
export interface Finding {
  readonly page: string;
  readonly line: number;
  readonly says: string;
}

export type BlockKind =
  /** Commands, in the one shell of their page. */
  | { readonly kind: "shell" }
  /** Commands on a terminal: what they leave on its screen is what they print. */
  | { readonly kind: "screen" }
  /** Commands that another page runs. */
  | { readonly kind: "quote"; readonly from: string }
  /** What the block before it prints. */
  | { readonly kind: "output" }
  /** Part of the one program of its page. */
  | { readonly kind: "program" }
  /** A file of the project that all pages together describe. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "json"; readonly lines: "any" | "frames" | "events" }
  | { readonly kind: "unrun"; readonly language: "bash" | "ts" };

export type Block = BlockKind & {
  readonly page: string;
  /** Of its fence, from 1: the code begins on the next one. */
  readonly line: number;
  readonly code: string;
};

export interface Page {
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly findings: readonly Finding[];
}

interface InfoString {
  readonly example: string;
  readonly pattern: RegExp;
  read(groups: Readonly<Record<string, string>>): BlockKind;
}

const WHY = 'unrun="(?<why>[^"]{10,200})"';
const PATH = String.raw`(?:[a-z0-9-]+\/)*[\w-]+`;

const INFO_STRINGS: readonly InfoString[] = [
  { example: "bash", pattern: /^bash$/, read: () => ({ kind: "shell" }) },
  { example: "bash screen", pattern: /^bash screen$/, read: () => ({ kind: "screen" }) },
  {
    example: "bash from=operate",
    pattern: /^bash from=(?<from>[a-z-]+)$/,
    read: ({ from = "" }) => ({ kind: "quote", from }),
  },
  { example: "output", pattern: /^output$/, read: () => ({ kind: "output" }) },
  { example: "ts run", pattern: /^ts run$/, read: () => ({ kind: "program" }) },
  {
    example: "ts file=agents/echo.ts",
    pattern: new RegExp(String.raw`^ts file=(?<path>${PATH}\.m?ts)$`),
    read: ({ path = "" }) => ({ kind: "file", path }),
  },
  {
    example: "yaml file=registry/locales/en.yaml",
    pattern: new RegExp(String.raw`^yaml file=(?<path>(?:registry|agents)\/${PATH}\.yaml)$`),
    read: ({ path = "" }) => ({ kind: "file", path }),
  },
  { example: "json", pattern: /^json$/, read: () => ({ kind: "json", lines: "any" }) },
  { example: "json frames", pattern: /^json frames$/, read: () => ({ kind: "json", lines: "frames" }) },
  { example: "json events", pattern: /^json events$/, read: () => ({ kind: "json", lines: "events" }) },
  {
    example: 'ts unrun="the reason"',
    pattern: new RegExp(`^(?<language>ts|bash) ${WHY}$`),
    read: ({ language }) => ({ kind: "unrun", language: language as "bash" | "ts" }),
  },
];

const FENCE = /^\s*(?:>\s*)*(?:```|~~~)/;
const OPENING = /^```(?<info>[^`]+)$/;

export function readPage(name: string, text: string): Page {
  const blocks: Block[] = [];
  const findings: Finding[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    if (!FENCE.test(lines[index] as string)) continue;
    const line = index + 1;
    const end = lines.indexOf("```", line);
    if (end === -1) {
      findings.push({ page: name, line, says: "the block has no end" });
      break;
    }
    // P1
    const info = OPENING.exec(lines[index] as string)?.groups?.info ?? "";
    const kind = kindOf(info);
    if (kind === undefined) findings.push({ page: name, line, says: refusalOf(info) });
    else blocks.push({ ...kind, page: name, line, code: lines.slice(line, end).join("\n") });
    index = end;
  }
  return { name, blocks, findings: [...findings, ...findOrphans(blocks)] };
}

const COMMAND_TO_SERVER = /\bframerail (?:chat|tail|replay)\b/g;
const PLACE = /\b(?:postgres:[^\s'"]+|\d{4})\b/g;

/** The page with what there is in this run in the place of what it names (P4). */
export function withPlaces(page: Page, places: ReadonlyMap<string, string>): Page {
  const replace = ({ kind, code }: Block) =>
    (kind === "output" ? code : code.replace(COMMAND_TO_SERVER, "$& --url http://127.0.0.1:4180")).replace(
      PLACE,
      (named) => places.get(named) ?? named,
    );
  return { ...page, blocks: page.blocks.map((block) => ({ ...block, code: replace(block) })) };
}

function kindOf(info: string): BlockKind | undefined {
  for (const { pattern, read } of INFO_STRINGS) {
    const match = pattern.exec(info);
    if (match !== null) return read(match.groups ?? {});
  }
  return undefined;
}

function refusalOf(info: string): string {
  return `"${info}" does not say how the block is run; there are: ${INFO_STRINGS.map(({ example }) => example).join(" | ")}`;
}

// P3
function findOrphans(blocks: readonly Block[]): Finding[] {
  return blocks.flatMap(({ kind, page, line }, index) => {
    const before = blocks[index - 1]?.kind;
    if (kind !== "output" || before === "shell" || before === "screen" || before === "program") return [];
    return [{ page, line, says: "an output stands right after the block that prints it" }];
  });
}
