// The JSON Schema documents of the contract, one per vocabulary, for readers in every language.
// Owns: their titles, ids and definitions. Does not own: the meaning of a node (src/schema/json-schema.ts).
//   S1. A document has one definition per type, and its root takes any of them. What is told apart by a discriminator
//       is `oneOf`; what is not is `anyOf`, because a value may then fit two definitions.

import type { JsonSchema } from "../src/schema/json-schema.js";
import { toJsonSchema } from "../src/schema/json-schema.js";
import type { Json } from "../src/schema/schema.js";
import type { Contract, Schemas } from "./published.js";

export const SCHEMA_BASE = "https://framerail.dev/schemas/";

export interface SchemaDocument {
  readonly $schema: string;
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly oneOf?: readonly Json[];
  readonly anyOf?: readonly Json[];
  readonly $defs: { readonly [name: string]: JsonSchema };
}

/** File name → document, in the order in which they are published. */
export function schemaDocuments(contract: Contract): ReadonlyMap<string, SchemaDocument> {
  const documents = [
    ...Object.keys(contract.frameSets).map((version) => framesDocument(contract, version)),
    documentOf("events.json", "Framerail inner events", {
      description: "What agent code writes. None of it reaches a client but through the mapping to frames.",
      root: "oneOf",
      definitions: convert(contract.events),
    }),
    documentOf("pipeline-messages.json", "Framerail pipeline messages", {
      description: "The lines of the NDJSON pipeline routes.",
      root: "oneOf",
      definitions: convert(contract.pipelineMessages),
    }),
    documentOf("agent-events.json", "Framerail universal agent events", {
      description: "The one shape in which every agent backend reports. The tools facet is the `data` of tool events.",
      root: "anyOf",
      definitions: convert(contract.agentEvents),
    }),
    documentOf("messages.json", "Framerail messages", {
      description: "The documents of a conversation's history and the items they hold.",
      root: "anyOf",
      definitions: convert(contract.messages),
    }),
  ];
  return new Map(documents.map((document) => [document.$id.slice(SCHEMA_BASE.length), document]));
}

export function framesDocument(contract: Contract, version: string): SchemaDocument {
  return documentOf(`frames-${version}.json`, `Framerail frames, wire version ${version}`, {
    description: "Every frame a client may meet. Ignore unknown fields, and frames of an unknown `event_type`.",
    root: "oneOf",
    definitions: frameDefinitions(contract, version),
  });
}

/** The frames of one version, with what the vocabulary says about each. */
export function frameDefinitions(contract: Contract, version: string): { readonly [type: string]: JsonSchema } {
  const definitions = [...(contract.frameSets[version] ?? [])].map(([type, schema]) => {
    const definition = contract.frames[type];
    const says = schema.says ?? definition?.says ?? "";
    if (definition?.deprecated === undefined) return [type, toJsonSchema({ ...schema, says })] as const;
    const deprecated = toJsonSchema({ ...schema, says: `${says} Deprecated. ${definition.deprecated}` });
    return [type, { deprecated: true, ...(deprecated as object) }] as const;
  });
  return Object.fromEntries(definitions);
}

export function convert(schemas: Schemas): { readonly [name: string]: JsonSchema } {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

interface DocumentParts {
  readonly description: string;
  readonly root: "oneOf" | "anyOf";
  readonly definitions: { readonly [name: string]: JsonSchema };
}

function documentOf(file: string, title: string, { description, root, definitions }: DocumentParts): SchemaDocument {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: SCHEMA_BASE + file,
    title,
    description,
    [root]: Object.keys(definitions).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: definitions,
  };
}
