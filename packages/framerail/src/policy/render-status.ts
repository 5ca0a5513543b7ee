// A status id and its values become words in the reader's language [W-FR-3b]. Look-ups and formatting, nothing else: no
// model, no I/O [W-NFR-4].
// Owns: filling messages, falling back, joining clauses, the bound of what is shown. Does not own: where messages come
// from (message-layers.ts), what is shown together (status-batch.ts).
//   N1. Rendering never throws into a turn. A message that cannot be filled gives way to the next layer's, then to the
//       locale's `status.fallback`, then to "…"; operators are told each time.
//   N2. What is shown is one line of at most STATUS_MESSAGE_BYTES_MAX. Of the values only text, numbers and truth
//       values can get into it, and only where a message names them.
//   N3. No letter's case is changed but the first of a joined sentence: what begins with a name, or a noun in German,
//       cannot be told from what does not. A locale gives clauses their own form instead.

import { FramerailError, type Json, splitText } from "@framerail/protocol";
import type { StatusEntry } from "../registry/registry.js";
import { languageOf } from "./choose-locale.js";
import { STATUS_MESSAGE_BYTES_MAX, STATUS_VALUE_LENGTH_MAX } from "./limits.js";
import type { Message, MessageLayer, MessageValues } from "./message-layers.js";
import { BATCH_SENTENCE_KEY, CLAUSE_SUFFIX, FALLBACK_KEY } from "./message-layers.js";

const ELLIPSIS = "…";
const ELLIPSIS_BYTES = 3;
/** What ends a sentence and has no place between clauses. */
const SENTENCE_END = /[\s.…。．]+$/u;
const NOT_ONE_LINE = /[\s\p{Cc}]+/gu;
/** What a cut leaves of a character that it went through. */
const HALF_PAIR_END = /[\ud800-\udbff]$/u;

export type StatusValues = { readonly [name: string]: Json } | undefined;

/** The words of one registry entry. */
export interface StatusWords {
  sentence(values: StatusValues): string;
  /** Its form between others in one sentence; empty where nothing was left to say but "…". */
  clause(values: StatusValues): string;
}

/** A message that could not be filled. For operators: `error` may quote a value. */
export interface UnfilledMessage {
  readonly render_key: string;
  readonly locale: string;
  readonly error: unknown;
}

export interface StatusRenderer {
  wordsOf(entry: StatusEntry): StatusWords;
  /** Two clauses or more as one sentence [W-AC-2]. */
  join(clauses: readonly string[]): string;
}

export interface StatusRendererOptions {
  readonly locale: string;
  readonly layers: readonly MessageLayer[];
  onUnfilled?(message: UnfilledMessage): void;
}

export function createStatusRenderer(options: StatusRendererOptions): StatusRenderer {
  const { locale, layers } = options;
  const fallbacks = layers.flatMap((layer) => layer.find(FALLBACK_KEY) ?? []);
  // A frame around clauses in another language than theirs is worse than none.
  const frames = layers
    .filter(({ tag }) => languageOf(tag) === languageOf(locale))
    .flatMap((layer) => layer.find(BATCH_SENTENCE_KEY) ?? []);
  const list = createListFormat(locale);

  const fill = (messages: readonly Message[], values: MessageValues): string | undefined => {
    for (const message of messages) {
      try {
        const text = message.format(values).replace(NOT_ONE_LINE, " ").trim();
        if (text !== "") return text;
      } catch (error) {
        options.onUnfilled?.({ render_key: message.key, locale: message.tag, error });
      }
    }
    return undefined;
  };
  const render = (messages: readonly Message[], values: StatusValues): string =>
    bound(fill(messages, fillable(values)) ?? fill(fallbacks, NO_VALUES) ?? ELLIPSIS);

  return {
    wordsOf({ id, default_render_key: key }) {
      const sentences = layers.flatMap((layer) => layer.find(key) ?? []);
      const clauses = layers.flatMap((layer) => layer.find(key + CLAUSE_SUFFIX) ?? layer.find(key) ?? []);
      if (sentences.length === 0)
        throw new FramerailError(
          "INVALID_REGISTRY",
          `the status ${id} has no message ${key} in ${locale} or a fallback`,
        );
      return {
        sentence: (values) => render(sentences, values),
        clause: (values) => render(clauses, values).replace(SENTENCE_END, ""),
      };
    },
    join(clauses) {
      const parts = list.format(clauses);
      return bound(capitalize(fill(frames, { parts }) ?? parts + ELLIPSIS, locale));
    },
  };
}

const NO_VALUES: MessageValues = Object.freeze(Object.create(null) as MessageValues);

// Without a prototype, or a message could name `{constructor}`. What is left out is missing for the message, which then
// gives way to one that does not need it (N1).
function fillable(values: StatusValues): MessageValues {
  if (values === undefined) return NO_VALUES;
  const filled = Object.create(null) as Record<string, string | number>;
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number") filled[name] = value;
    else if (typeof value === "boolean") filled[name] = String(value);
    else if (typeof value === "string") filled[name] = shorten(value);
  }
  return filled;
}

function shorten(text: string): string {
  if (text.length <= STATUS_VALUE_LENGTH_MAX) return text;
  return text.slice(0, STATUS_VALUE_LENGTH_MAX - 1).replace(HALF_PAIR_END, "") + ELLIPSIS;
}

function bound(text: string): string {
  const [start, ...rest] = splitText(text, STATUS_MESSAGE_BYTES_MAX - ELLIPSIS_BYTES);
  return rest.length === 0 ? start : start + ELLIPSIS;
}

function capitalize(sentence: string, locale: string): string {
  const [first = ""] = sentence;
  return first.toLocaleUpperCase(locale) + sentence.slice(first.length);
}

function createListFormat(locale: string): Intl.ListFormat {
  try {
    return new Intl.ListFormat(locale, { type: "conjunction", style: "long" });
  } catch (cause) {
    throw new FramerailError("INVALID_REGISTRY", `${locale} is not a language tag`, { cause });
  }
}
