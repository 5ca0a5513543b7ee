// JSON as the database takes it. A jsonb column refuses U+0000 and halves of surrogate pairs, which a model or a tool can
// well produce; refused at the end of a turn, one such character would cost the whole turn.
//   J1. Whatever is a value becomes text that the database accepts: such a character becomes U+FFFD. All else is kept.

// With the u flag a surrogate is one that has no other half.
const UNSTORABLE = /\p{Surrogate}|\0/gu;
const REFUSED = /\\u(?:0000|[dD][89a-fA-F])/;

export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value);
  // The escapes are rare, so the value is walked again only when one may be there.
  return REFUSED.test(text) ? JSON.stringify(value, mendStrings) : text;
}

function mendStrings(_: string, value: unknown): unknown {
  if (typeof value === "string") return mend(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mend(key), inner as unknown]));
}

function mend(text: string): string {
  return text.replace(UNSTORABLE, "\uFFFD");
}
