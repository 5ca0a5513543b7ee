// What the shop's tools are asked with. Any Standard Schema library will do, zod for instance; these are written out, so that
// the demo needs none.

import type { Json } from "@framerail/protocol";

interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): { readonly value: T } | { readonly issues: readonly { readonly message: string }[] };
    readonly types?: { readonly input: T; readonly output: T };
  };
}

function schemaOf<T>(message: string, isValid: (value: object) => boolean): Schema<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "framerail-demo",
      validate: (value) =>
        typeof value === "object" && value !== null && isValid(value)
          ? { value: value as T }
          : { issues: [{ message }] },
    },
  };
}

const jsonSchema = (properties: { readonly [name: string]: Json }) => ({
  type: "object" as const,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const queryText = {
  input: schemaOf<{ query: string }>(
    "query must be text",
    (value) => "query" in value && typeof value.query === "string",
  ),
  inputJsonSchema: jsonSchema({ query: { type: "string" } }),
};

export const idList = {
  input: schemaOf<{ ids: string[] }>(
    "ids must be a list of ids",
    (value) => "ids" in value && Array.isArray(value.ids) && value.ids.every((id) => typeof id === "string"),
  ),
  inputJsonSchema: jsonSchema({ ids: { type: "array", items: { type: "string" } } }),
};

export const noInput = {
  input: schemaOf<object>("nothing is asked for", () => true),
  inputJsonSchema: jsonSchema({}),
};
