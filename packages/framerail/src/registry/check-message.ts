// Judges one message of a locale: whether it is ICU, plain text, and renders with values of the kinds it asks for.
// Owns: sample values. Does not own: which messages are needed (check-registry.ts), real values (policy/).

import { IntlMessageFormat } from "intl-messageformat";

export interface BrokenMessage {
  readonly rule: "message-syntax" | "message-markup" | "message-render";
  readonly message: string;
}

export type MessageReading =
  | { readonly kind: "good"; readonly names: ReadonlySet<string>; readonly renderings: readonly string[] }
  | { readonly kind: "broken"; readonly broken: BrokenMessage };

/** What the parser gives, as far as it is read here. */
interface Element {
  readonly type: number;
  readonly value?: unknown;
  readonly options?: { readonly [name: string]: { readonly value: readonly Element[] } };
  readonly children?: readonly Element[];
}

type Sample = string | number;

/** The parser's numbers for its kinds of elements. */
const ARGUMENT = 1;
const NUMBER = 2;
const DATE = 3;
const TIME = 4;
const SELECT = 5;
const PLURAL = 6;
const TAG = 8;

/** Every plural category of every language has one of these. */
const COUNTS = [0, 1, 2, 3, 5, 6, 11, 21, 100, 1_000_000, 1.5];
const NOON = Date.UTC(2026, 4, 15, 12);

/** Reads a message in the language of `tag`, which Intl must know. */
export function readMessage(tag: string, message: string): MessageReading {
  let format: IntlMessageFormat;
  try {
    format = new IntlMessageFormat(message, tag);
  } catch (error) {
    return breaks("message-syntax", `is not ICU syntax: ${reasonOf(error)}`);
  }
  const samples = new Map<string, readonly Sample[]>();
  const tags: string[] = [];
  // The length of a message is bounded, so its depth is.
  const visit = (elements: readonly Element[]): void => {
    for (const element of elements) {
      if (element.type === TAG) tags.push(String(element.value));
      const own = samplesOf(element);
      if (own !== undefined) addSamples(samples, String(element.value), own);
      for (const option of Object.values(element.options ?? {})) visit(option.value);
      visit(element.children ?? []);
    }
  };
  visit(format.getAst() as readonly Element[]);
  if (tags.length > 0) return breaks("message-markup", `has markup (${tags.join(", ")}); a status is plain text`);
  return render(format, samples);
}

function samplesOf({ type, options }: Element): readonly Sample[] | undefined {
  switch (type) {
    case ARGUMENT:
      return ["7"];
    case NUMBER:
    case PLURAL:
      return COUNTS;
    case DATE:
    case TIME:
      return [NOON];
    case SELECT:
      return Object.keys(options ?? {});
    default:
      return undefined;
  }
}

/** A name that is shown as it is takes anything; the stricter use of it decides. */
function addSamples(samples: Map<string, readonly Sample[]>, name: string, own: readonly Sample[]): void {
  const known = samples.get(name);
  if (known === undefined || known.length < own.length) samples.set(name, own);
}

/** One rendering for each sample; names with fewer samples go round. */
function render(format: IntlMessageFormat, samples: ReadonlyMap<string, readonly Sample[]>): MessageReading {
  const renderings: string[] = [];
  const rounds = Math.max(1, ...[...samples.values()].map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1) {
    const values: Record<string, Sample> = {};
    for (const [name, own] of samples) values[name] = own[round % own.length] ?? "";
    try {
      renderings.push(String(format.format(values)));
    } catch (error) {
      return breaks("message-render", `does not render: ${reasonOf(error)}`);
    }
  }
  if (renderings.some((text) => text.trim() === "")) return breaks("message-render", "renders to nothing");
  return { kind: "good", names: new Set(samples.keys()), renderings };
}

function breaks(rule: BrokenMessage["rule"], message: string): MessageReading {
  return { kind: "broken", broken: { rule, message } };
}

/** The parser's reasons are names like EXPECT_ARGUMENT_CLOSING_BRACE; only their first line is about the message. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "unknown";
  return /^[A-Z_]+$/.test(text) ? text.toLowerCase().replaceAll("_", " ") : text;
}
