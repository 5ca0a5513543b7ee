// Which items of a collection are shown: those of the right shape, and as many as one frame takes. There is no second
// frame for the rest, because clients replace what a placeholder holds each time [C-18].
//   F1. Items are dropped whole, never cut or changed; the order stays.
//   F2. A shape only judges. What the schema would convert or add is not used, so what is shown is what was loaded.

import type { Json } from "@framerail/protocol";
import type { Opened } from "./enrichment-envelope.js";
import { countJsonBytes } from "./json-value.js";
import type { StandardSchema } from "./standard-schema.js";
import { validate } from "./standard-schema.js";

/** The shape of an item by `domain_type`, or by `domain_type/enricher_id` where backends of one domain differ [W-EV-7]. */
export type ItemSchemas = { readonly [domain: string]: StandardSchema };

type Source = Extract<Opened, { kind: "data" }>["source"];

/** The shape of data from `source`; data without an envelope has the render tool's own type as its domain. */
export function findItemSchema(schemas: ItemSchemas, source: Source, dataType: string): StandardSchema | undefined {
  const domain = source?.domain_type ?? dataType;
  const names = source === undefined ? [domain] : [`${domain}/${source.enricher_id}`, domain];
  const found = names.find((name) => Object.hasOwn(schemas, name));
  return found === undefined ? undefined : schemas[found];
}

export async function keepValidItems(items: readonly Json[], schema: StandardSchema | undefined): Promise<Json[]> {
  if (schema === undefined) return [...items];
  const kept: Json[] = [];
  for (const item of items) if ((await validate(schema, item)).issues === undefined) kept.push(item);
  return kept;
}

/** As many items from the start as fit into `bytesMax`, with the commas between them. */
export function capItems(items: readonly Json[], bytesMax: number): readonly Json[] {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += countJsonBytes(item) + (index === 0 ? 0 : 1);
    if (bytes > bytesMax) return items.slice(0, index);
  }
  return items;
}
