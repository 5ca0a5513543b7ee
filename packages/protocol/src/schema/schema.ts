// The language in which the contract is written. A schema is plain data; what it means for a reader is in the files
// beside this one: infer (the TypeScript type, below), check.ts (the validator), write.ts (the encoder),
// json-schema.ts (the published schema) and reference.ts (the documentation). So a type is declared once [F-1].
// Owns: the kinds of node and their builders. Does not own: any meaning of them.

/** A schema whose values are of type `T`. The property `~type` is never there; it only carries the type. */
export type Schema<T = unknown> = Node & { readonly "~type"?: T };
/** A field that may be absent. */
export type Optional<T = unknown> = { readonly optional: true; readonly schema: Schema<T> };

export type Infer<S> = S extends Optional<infer T> ? T : S extends { readonly "~type"?: infer T } ? T : never;

export interface Doc {
  /** One sentence, shown in the reference and in the JSON Schema. */
  readonly says?: string;
}

export interface StringNode extends Doc {
  readonly kind: "string";
  readonly pattern?: RegExp;
  readonly lengthMin?: number;
  readonly lengthMax?: number;
}
export interface LiteralNode extends Doc {
  readonly kind: "literal";
  readonly value: string | boolean;
}
export interface OneOfNode extends Doc {
  readonly kind: "one_of";
  readonly values: readonly string[];
  /** An open set: other values of this pattern are accepted too, so that new ones need no new version. */
  readonly others?: RegExp;
}
export interface BooleanNode extends Doc {
  readonly kind: "boolean";
}
export interface NumberNode extends Doc {
  readonly kind: "number";
  readonly whole: boolean;
  readonly min?: number;
}
/** Any JSON value: finite numbers, well-formed strings, plain objects, bounded depth. */
export interface JsonNode extends Doc {
  readonly kind: "json";
}
export interface ArrayNode extends Doc {
  readonly kind: "array";
  readonly items: Schema;
  readonly countMin?: number;
}
/** An object whose keys are free and whose values are alike. */
export interface MapNode extends Doc {
  readonly kind: "map";
  readonly values: Schema;
}
export interface ObjectNode extends Doc {
  readonly kind: "object";
  readonly fields: { readonly [name: string]: Schema | Optional };
  /** A field that, when present, needs others. */
  readonly requires?: { readonly [name: string]: readonly string[] };
  /** A rule over several fields that JSON Schema has no words for. */
  readonly rule?: ObjectRule;
}
export interface ObjectRule {
  readonly path: string;
  readonly says: string;
  holds(value: never): boolean;
}
/** A choice between objects by the value of one field. */
export interface ChoiceNode extends Doc {
  readonly kind: "choice";
  readonly by: string;
  readonly variants: { readonly [value: string]: Schema };
}
export interface NullableNode extends Doc {
  readonly kind: "nullable";
  readonly inner: Schema;
}
/** A field that must not be there. */
export interface AbsentNode extends Doc {
  readonly kind: "absent";
}

export type Node =
  | StringNode
  | LiteralNode
  | OneOfNode
  | BooleanNode
  | NumberNode
  | JsonNode
  | ArrayNode
  | MapNode
  | ObjectNode
  | ChoiceNode
  | NullableNode
  | AbsentNode;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Fields = { readonly [name: string]: Schema | Optional };
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F];
type Flat<T> = { readonly [K in keyof T]: T[K] };
export type ObjectOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, OptionalNames<F>>]: Infer<F[K]> } & { [K in OptionalNames<F>]?: Infer<F[K]> }
>;

export function string(options: Omit<StringNode, "kind"> = {}): Schema<string> {
  return { kind: "string", ...options };
}

export function literal<const V extends string | boolean>(value: V, doc: Doc = {}): Schema<V> {
  return { kind: "literal", value, ...doc };
}

export function oneOf<const V extends string>(values: readonly V[], doc: Doc = {}): Schema<V> {
  return { kind: "one_of", values, ...doc };
}

/** `oneOf` that also takes values it does not know, as long as they look like `others`. */
export function openSet<const V extends string>(
  values: readonly V[],
  options: Doc & { readonly others: RegExp },
): Schema<V | (string & {})> {
  return { kind: "one_of", values, ...options };
}

export function boolean(doc: Doc = {}): Schema<boolean> {
  return { kind: "boolean", ...doc };
}

/** A whole number that survives JSON: a safe integer. */
export function integer(options: Doc & { readonly min?: number } = {}): Schema<number> {
  return { kind: "number", whole: true, ...options };
}

/** A count or a duration: a whole number, zero or more [P-61]. */
export function count(doc: Doc = {}): Schema<number> {
  return integer({ min: 0, ...doc });
}

export function number(options: Doc & { readonly min?: number } = {}): Schema<number> {
  return { kind: "number", whole: false, ...options };
}

export function json(doc: Doc = {}): Schema<Json> {
  return { kind: "json", ...doc };
}

export function array<T>(items: Schema<T>, options: Doc & { readonly countMin?: number } = {}): Schema<readonly T[]> {
  return { kind: "array", items, ...options };
}

export function map<T>(values: Schema<T>, doc: Doc = {}): Schema<{ readonly [key: string]: T }> {
  return { kind: "map", values, ...doc };
}

export function object<const F extends Fields>(
  fields: F,
  options: Omit<ObjectNode, "kind" | "fields"> = {},
): Schema<ObjectOf<F>> {
  return { kind: "object", fields, ...options };
}

export function choice<const V extends { readonly [value: string]: Schema }>(
  by: string,
  variants: V,
  doc: Doc = {},
): Schema<Infer<V[keyof V]>> {
  return { kind: "choice", by, variants, ...doc };
}

export function nullable<T>(inner: Schema<T>, doc: Doc = {}): Schema<T | null> {
  return { kind: "nullable", inner, ...doc };
}

export function absent(doc: Doc = {}): Optional<undefined> {
  return { optional: true, schema: { kind: "absent", ...doc } };
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: true, schema };
}

export function isOptional(field: Schema | Optional): field is Optional {
  return "optional" in field;
}

export function schemaOf(field: Schema | Optional): Schema {
  return isOptional(field) ? field.schema : field;
}
