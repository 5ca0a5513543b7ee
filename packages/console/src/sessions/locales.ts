// The languages in which status can be told, by their own names, and which of them are written from right to left.

export interface Locale {
  readonly tag: string;
  readonly name: string;
}

/** Offered also where the server's catalogue is silent. */
const ALWAYS = ["en", "es", "de", "ja", "ar"];
const FROM_RIGHT = new Set(["ar", "dv", "fa", "he", "ps", "ur", "yi"]);

export function listLocales(tags: readonly string[]): readonly Locale[] {
  return [...new Set([...ALWAYS, ...tags])].map((tag) => ({ tag, name: nameOf(tag) }));
}

export function directionOf(tag: string): "ltr" | "rtl" {
  return FROM_RIGHT.has(tag.split("-")[0]?.toLowerCase() ?? "") ? "rtl" : "ltr";
}

/** The first of the browser's languages that there is. */
export function preferredLocale(wanted: readonly string[], locales: readonly Locale[]): string {
  for (const tag of wanted) {
    const language = tag.split("-")[0]?.toLowerCase();
    const found = locales.find((one) => one.tag.toLowerCase() === tag.toLowerCase() || one.tag === language);
    if (found !== undefined) return found.tag;
  }
  return "en";
}

function nameOf(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  } catch {
    // Not a tag that this browser understands: it is its own name.
    return tag;
  }
}
