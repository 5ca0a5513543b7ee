// A schema as JSON Schema, draft 2020-12: what readers in other languages check with and generate types from.
// Owns: the meaning of every node in JSON Schema. Does not own: documents, their names and where they are published.
//   J1. A value that passes compileCheck passes the JSON Schema.
//   J2. The other way round, JSON Schema takes a few values more, because it has no words for them: rules over several
//       fields (told in the description and in `$comment`), lone surrogates, the key `__proto__`, nesting beyond
//       JSON_DEPTH_MAX, and lengths, which it counts in characters where we count UTF-16 units.
//   J3. Unknown fields stay open: readers ignore what they do not know [W-FR-12].

import { FramerailError, unreachable } from "../error.js";
import type { ChoiceNode, Json, NumberNode, ObjectNode, OneOfNode, Schema } from "./schema.js";
import { isOptional, schemaOf } from "./schema.js";

export type JsonSchema = boolean | { readonly [keyword: string]: Json };

export function toJsonSchema(schema: Schema): JsonSchema {
  const description = schema.says;
  switch (schema.kind) {
    case "string": {
      const { lengthMin: minLength, lengthMax: maxLength } = schema;
      return keepDefined({ type: "string", description, minLength, maxLength, pattern: sourceOf(schema.pattern) });
    }
    case "literal":
      return keepDefined({ const: schema.value, description });
    case "one_of":
      return ofOneOf(schema);
    case "boolean":
      return keepDefined({ type: "boolean", description });
    case "number":
      return ofNumber(schema);
    case "json":
      return keepDefined({ description });
    case "array":
      return keepDefined({ type: "array", description, minItems: schema.countMin, items: toJsonSchema(schema.items) });
    case "map":
      return keepDefined({ type: "object", description, additionalProperties: toJsonSchema(schema.values) });
    case "object":
      return ofObject(schema);
    case "choice":
      return keepDefined({
        description,
        oneOf: Object.entries(schema.variants).map(([value, variant]) => ofVariant(schema, value, variant)),
      });
    case "nullable":
      return keepDefined({ description, anyOf: [toJsonSchema(schema.inner), { type: "null" }] });
    case "absent":
      return false;
    default:
      return unreachable(schema);
  }
}

function keepDefined(keywords: { readonly [keyword: string]: Json | undefined }): { readonly [keyword: string]: Json } {
  return Object.fromEntries(
    Object.entries(keywords).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

/** JSON Schema patterns have no flags: they are read as with `u`, and ours must mean the same with it and without. */
function sourceOf(pattern: RegExp | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  if (pattern.flags === "" || pattern.flags === "u") return pattern.source;
  throw new FramerailError("INVALID_ARGUMENT", `a published pattern must have no flags, not ${pattern.flags}`);
}

function ofOneOf({ values, others, says: description }: OneOfNode): JsonSchema {
  const known = { enum: values };
  const pattern = sourceOf(others);
  if (pattern === undefined) return keepDefined({ ...known, description });
  return keepDefined({ description, anyOf: [known, { type: "string", pattern }] });
}

function ofNumber({ whole, min, says: description }: NumberNode): JsonSchema {
  if (!whole) return keepDefined({ type: "number", description, minimum: min });
  const minimum = min ?? Number.MIN_SAFE_INTEGER;
  return keepDefined({ type: "integer", description, minimum, maximum: Number.MAX_SAFE_INTEGER });
}

function ofObject({ fields, requires, rule, says }: ObjectNode): JsonSchema {
  const names = Object.keys(fields);
  const required = names.filter((name) => !isOptional(fields[name] as Schema));
  const ruling = rule && `\`${rule.path}\` ${rule.says}.`;
  return keepDefined({
    type: "object",
    description: [says, ruling].filter((sentence) => sentence !== undefined).join(" ") || undefined,
    properties: Object.fromEntries(names.map((name) => [name, toJsonSchema(schemaOf(fields[name] as Schema))])),
    required: required.length > 0 ? required : undefined,
    dependentRequired: requires,
    $comment: ruling && `Not expressed in this schema: ${ruling}`,
  });
}

/** A variant that does not name its own discriminator gets it from the choice, as the check does. */
function ofVariant({ by }: ChoiceNode, value: string, variant: Schema): JsonSchema {
  const own = variant.kind === "object" ? variant.fields[by] : undefined;
  const names = own !== undefined && !isOptional(own) && own.kind === "literal" && own.value === value;
  if (names) return toJsonSchema(variant);
  return { type: "object", properties: { [by]: { const: value } }, required: [by], allOf: [toJsonSchema(variant)] };
}
