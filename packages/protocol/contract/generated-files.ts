// Which files are generated, and whether those on disk are the ones the code would write now.
// Owns: their paths and text, and the place of the reference in PROTOCOL.md. Does not own: reading and writing files.
//   G1. The same contract gives the same bytes: definition order, two spaces, one newline at the end.
//   G2. Of PROTOCOL.md only what is between the markers is ours; the rest is kept byte for byte.

import { FramerailError } from "../src/error.js";
import { asyncApiDocument } from "./asyncapi.js";
import type { Limit } from "./limits-table.js";
import type { Contract } from "./published.js";
import { referencePage } from "./reference-page.js";
import { schemaDocuments } from "./schema-documents.js";

export const SCHEMAS_PATH = "packages/protocol/schemas/";
export const PROTOCOL_PATH = "PROTOCOL.md";
export const COMMAND = "npx tsx packages/protocol/contract/generate.ts";

const BEGIN = "<!-- reference:begin -->";
const END = "<!-- reference:end -->";
const EMPTY_PROTOCOL = `# Framerail protocol\n\n${BEGIN}\n${END}\n`;

export interface Sources {
  readonly contract: Contract;
  readonly limits: readonly Limit[];
  /** Reads a file by its path from the root of the repository; `undefined` where there is none. */
  readonly read: (path: string) => string | undefined;
}

/** Path from the root of the repository → text. */
export function generateFiles({ contract, limits, read }: Sources): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [name, document] of schemaDocuments(contract)) files.set(SCHEMAS_PATH + name, print(document));
  files.set(`${SCHEMAS_PATH}asyncapi.json`, print(asyncApiDocument(contract)));
  files.set(PROTOCOL_PATH, putReference(read(PROTOCOL_PATH) ?? EMPTY_PROTOCOL, referencePage(contract, limits)));
  return files;
}

/** The files that differ from what would be written. */
export function findStale(sources: Sources): string[] {
  return [...generateFiles(sources)].filter(([path, text]) => sources.read(path) !== text).map(([path]) => path);
}

/** What to tell whoever left files stale. */
export function explainStale(paths: readonly string[]): string {
  return `${paths.map((path) => `stale: ${path}`).join("\n")}\nto write them again: ${COMMAND}`;
}

function print(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

export function putReference(protocol: string, reference: string): string {
  const [before, part, ...more] = protocol.split(BEGIN);
  const [, after, ...rest] = (part ?? "").split(END);
  const once = before !== undefined && after !== undefined && more.length === 0 && rest.length === 0;
  if (!once || before.includes(END)) {
    throw new FramerailError("INVALID_ARGUMENT", `${PROTOCOL_PATH} must hold ${BEGIN} and then ${END}, each once`);
  }
  return `${before}${BEGIN}\n<!-- Generated: edit the definitions, then run \`${COMMAND}\`. -->\n\n${reference}\n${END}${after}`;
}
