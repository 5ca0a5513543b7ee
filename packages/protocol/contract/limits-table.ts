// The limits of the protocol with the sentence that their source says about each. The sentence lives in the comment
// above the constant, where whoever changes the number sees it; so it is read from there.

import { FramerailError } from "../src/error.js";

export interface Limit {
  readonly name: string;
  readonly value: number;
  readonly says: string;
}

const DECLARATION = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g;

/** Every limit of a module, in its order; one without a sentence is refused. */
export function limitsTable(limits: { readonly [name: string]: number }, source: string): Limit[] {
  const sentences = new Map<string, string>();
  for (const [, comment = "", name = ""] of source.matchAll(DECLARATION)) sentences.set(name, plainText(comment));
  const inOrder = Object.entries(limits).sort(([a], [b]) => positionOf(source, a) - positionOf(source, b));
  return inOrder.map(([name, value]) => {
    const says = sentences.get(name);
    if (says) return { name, value, says };
    throw new FramerailError("INVALID_ARGUMENT", `limit ${name} needs a comment that says what it bounds`);
  });
}

// A module lists its names by the alphabet, and a reader wants the order of the file.
function positionOf(source: string, name: string): number {
  return source.indexOf(`export const ${name} `);
}

/** The comment as one line, without stars and without requirement ids. */
function plainText(comment: string): string {
  return comment
    .replaceAll(/\n\s*\*/g, " ")
    .replaceAll(/\s*\[[A-Z][^\]]*\]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
