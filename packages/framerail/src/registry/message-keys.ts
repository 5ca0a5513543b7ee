// Keys of a locale that mean something beside the sentences of entries.

/** `<render key>_part`: the form of a sentence inside a joined one. */
export const PART_SUFFIX = "_part";

/** How parts that were joined become a sentence; its one value is `parts`. */
export const BATCH_SENTENCE_KEY = "batch.sentence";

/** What is said when a sentence cannot be filled with the values that came. Takes no values. */
export const FALLBACK_KEY = "status.fallback";

/** The values that the keys with a meaning of their own are filled with; undefined for every other key. */
export function ownValuesOf(key: string): ReadonlySet<string> | undefined {
  if (key === BATCH_SENTENCE_KEY) return BATCH_VALUES;
  return key === FALLBACK_KEY ? NO_VALUES : undefined;
}

/** The key of the sentence that a part belongs to; any other key itself. */
export function withoutPart(key: string): string {
  return key.endsWith(PART_SUFFIX) ? key.slice(0, -PART_SUFFIX.length) : key;
}

const BATCH_VALUES: ReadonlySet<string> = new Set(["parts"]);
const NO_VALUES: ReadonlySet<string> = new Set();
