// Where the words of a status come from: a row of layers, each one language of the registry or of a cohort, the best
// first. Messages are parsed here, when a policy is made, so that a broken one is found before any turn.
// Owns: the order of the layers, the keys, parsing ICU. Does not own: filling messages (render-status.ts).
//   Y1. In each language the cohort's wording comes before the registry's, and every wording of the reader's language
//       before any of another [W-GAP-4].
//   Y2. A clause comes from the layer that gives the sentence: half a rewording is not mixed with what it replaces.

import { FramerailError } from "@framerail/protocol";
import { IntlMessageFormat } from "intl-messageformat";
import type { Registry } from "../registry/registry.js";
import { fallbacksOf } from "./choose-locale.js";

/** `<render key>_part`: the form of a message inside a joined sentence. Without one the message stands there itself. */
export const CLAUSE_SUFFIX = "_part";
/** How clauses that were joined become a sentence; its one value is `parts`. */
export const BATCH_SENTENCE_KEY = "batch.sentence";
/** What is said when no message of an entry can be filled with the values that came. Takes no values. */
export const FALLBACK_KEY = "status.fallback";

/** By locale, then by key: ICU messages that come before those of the registry. */
export type Rewording = { readonly [locale: string]: { readonly [key: string]: string } };

export type MessageValues = Readonly<Record<string, string | number>>;

/** A parsed message. */
export interface Message {
  readonly key: string;
  readonly tag: string;
  /** Throws when a value is missing, or is none that the message can show. */
  format(values: MessageValues): string;
}

export interface MessageLayer {
  readonly tag: string;
  /** The message of `key`, parsed once. */
  find(key: string): Message | undefined;
}

export function createMessageLayers(registry: Registry, locale: string, rewording: Rewording = {}): MessageLayer[] {
  return fallbacksOf(locale, registry).flatMap((tag) => {
    const reworded = new Map(Object.entries(rewording[tag] ?? {}));
    const own = registry.locales.get(tag)?.messages ?? new Map<string, string>();
    return [createLayer(tag, reworded, "INVALID_ARGUMENT"), createLayer(tag, own, "INVALID_REGISTRY")];
  });
}

type Refusal = "INVALID_ARGUMENT" | "INVALID_REGISTRY";

function createLayer(tag: string, texts: ReadonlyMap<string, string>, code: Refusal): MessageLayer {
  const parsed = new Map<string, Message>();
  return {
    tag,
    find(key) {
      const text = texts.get(key);
      const known = parsed.get(key);
      if (text === undefined || known !== undefined) return known;
      const message = parseMessage({ key, tag, text, code });
      parsed.set(key, message);
      return message;
    },
  };
}

function parseMessage({ key, tag, text, code }: { key: string; tag: string; text: string; code: Refusal }): Message {
  try {
    // Frames carry plain text, so a tag in a message is text too.
    const message = new IntlMessageFormat(text, tag, undefined, { ignoreTag: true });
    const numbers = new Set(listShownNumbers(message.getAst()));
    const format = (values: MessageValues): string => {
      for (const name of numbers) requireNumber(name, values[name]);
      return String(message.format(values));
    };
    return { key, tag, format };
  } catch (cause) {
    throw new FramerailError(code, `the message ${key} of locale ${tag} is not ICU`, { cause });
  }
}

/** What the parser gives, as far as it is read here. */
interface Element {
  readonly type: number;
  readonly value?: unknown;
  readonly options?: { readonly [name: string]: { readonly value: readonly Element[] } };
}

/** The parser's numbers for its kinds of elements. */
const NUMBER = 2;
const PLURAL = 6;
const POUND = 7;

/** The names that a message shows as numbers; `counted` is what a `#` stands for. */
function listShownNumbers(elements: readonly Element[], counted?: unknown): string[] {
  return elements.flatMap(({ type, value, options = {} }) => {
    if (type === NUMBER) return [String(value)];
    if (type === POUND) return counted === undefined ? [] : [String(counted)];
    const inside = type === PLURAL ? value : undefined;
    return Object.values(options).flatMap((option) => listShownNumbers(option.value, inside));
  });
}

// Intl formats whatever it is given, and what is no number as "NaN". A value that is missing is not refused here, since the
// message may choose words without it.
function requireNumber(name: string, value: string | number | undefined): void {
  if (value !== undefined && Number.isNaN(Number(value)))
    throw new FramerailError("INVALID_ARGUMENT", `the value ${name} is no number`);
}
