// Compiles a schema into an encoder: the compact JSON of a checked value, fields in the order of the definition, and of
// those only the defined ones, so that a wide object handed in by mistake leaks nothing [W-ERR-8, W-FR-10].
// Expects a value that its schema's check has passed; a wrong one gives wrong JSON, never an injected line (text.ts T1).

import { unreachable } from "../error.js";
import type { ObjectNode, Schema } from "./schema.js";
import { isOptional, schemaOf } from "./schema.js";
import { escapeLineSeparators, quote } from "./text.js";

export type Write = (value: unknown) => string;

export function compileWrite(schema: Schema): Write {
  if (isFree(schema)) return (value) => escapeLineSeparators(JSON.stringify(value));
  switch (schema.kind) {
    case "string":
    case "one_of":
      return (value) => quote(value as string);
    case "literal": {
      const text = JSON.stringify(schema.value);
      return () => text;
    }
    case "boolean":
    case "number":
      return String;
    case "array": {
      const write = compileWrite(schema.items);
      return (value) => `[${(value as unknown[]).map((item) => write(item)).join(",")}]`;
    }
    case "map": {
      const write = compileWrite(schema.values);
      return (value) =>
        `{${Object.entries(value as object)
          .map(([key, item]) => `${quote(key)}:${write(item)}`)
          .join(",")}}`;
    }
    case "object": {
      const writeFields = compileFields(schema, "");
      return (value) => `{${writeFields(value)}}`;
    }
    case "choice": {
      const { by } = schema;
      const writes = new Map(Object.entries(schema.variants).map(([value, variant]) => [value, compileWrite(variant)]));
      return (value) => (writes.get((value as Record<string, string>)[by] as string) as Write)(value);
    }
    case "nullable": {
      const write = compileWrite(schema.inner);
      return (value) => (value === null ? "null" : write(value));
    }
    case "json":
    case "absent":
      return () => "null";
    default:
      return unreachable(schema);
  }
}

/** Nothing below is defined, so nothing can be left out: one JSON.stringify is the fastest way to write all of it. */
function isFree(schema: Schema): boolean {
  switch (schema.kind) {
    case "json":
      return true;
    case "array":
      return isFree(schema.items);
    case "map":
      return isFree(schema.values);
    case "nullable":
      return isFree(schema.inner);
    default:
      return false;
  }
}

/** The fields of an object as `"name":value,…`, after what `start` says: nothing, or a comma where others stand before. */
export function compileFields(node: ObjectNode, start: "" | ","): Write {
  const fields = Object.entries(node.fields).map(([name, field]) => ({
    name,
    first: `${start}${JSON.stringify(name)}:`,
    later: `,${JSON.stringify(name)}:`,
    optional: isOptional(field),
    write: compileWrite(schemaOf(field)),
  }));
  return (value) => {
    let text = "";
    for (const field of fields) {
      const part = (value as Record<string, unknown>)[field.name];
      if (part === undefined && field.optional) continue;
      text += (text === "" ? field.first : field.later) + field.write(part);
    }
    return text;
  };
}
