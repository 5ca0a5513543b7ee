// The second door of the package, for programs that read the contract itself: the schema language and its readers.
// Applications need none of it; it stays out of their bundles.

export type { Check, CheckOptions } from "./check.js";
export { compileCheck } from "./check.js";
export type { JsonSchema } from "./json-schema.js";
export { toJsonSchema } from "./json-schema.js";
export type { FieldRow } from "./reference.js";
export { describeFields, renderFieldTable, renderTable } from "./reference.js";
export type { Infer, Json, Node, Optional, Schema } from "./schema.js";
export {
  array,
  boolean,
  count,
  integer,
  isOptional,
  json,
  map,
  nullable,
  object,
  oneOf,
  optional,
  schemaOf,
  string,
} from "./schema.js";
