// A schema as the rows of a reference table: every field by its path, in the order of the definition.
// Owns: paths, the words for types, the table. Does not own: pages, headings and what they are about.
//
// Paths: `data.key` is a field of a field, `ids[]` an item of an array, `streams.*` a value under a free key, and
// `error{code=X}` what holds where the discriminator `code` is `X`. What all alternatives share is told once.

import { FramerailError, unreachable } from "../error.js";
import type { ChoiceNode, NumberNode, ObjectNode, OneOfNode, Schema, StringNode } from "./schema.js";
import { isOptional, schemaOf } from "./schema.js";

export interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly says: string;
}

/** The fields within a schema; none for one that is not made of parts. */
export function describeFields(schema: Schema): FieldRow[] {
  switch (schema.kind) {
    case "array":
      return describeFields(schema.items).map((row) => under("[]", row));
    case "map":
      return describeFields(schema.values).map((row) => under("*", row));
    case "nullable":
      return describeFields(schema.inner);
    case "object":
      return describeObject(schema);
    case "choice":
      return describeChoice(schema);
    case "string":
    case "literal":
    case "one_of":
    case "boolean":
    case "number":
    case "json":
    case "absent":
      return [];
    default:
      return unreachable(schema);
  }
}

/** The rows as a Markdown table, or a sentence where there are none. */
export function renderFieldTable(rows: readonly FieldRow[]): string {
  if (rows.length === 0) return "No fields of its own.\n";
  return renderTable(
    ["field", "type", "required", "meaning"],
    rows.map(({ path, type, required, says }) => [`\`${path}\``, type, required ? "yes" : "no", says]),
  );
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

// A bar would end the cell even inside code, and a line break the table.
function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

function under(parent: string, row: FieldRow): FieldRow {
  const joint = parent === "" || row.path === "" || /^[[{]/.test(row.path) ? "" : ".";
  return { ...row, path: parent + joint + row.path };
}

function describeObject(node: ObjectNode): FieldRow[] {
  const remarks = remarksOf(node);
  return Object.entries(node.fields).flatMap(([name, field]) => {
    const schema = schemaOf(field);
    const says = [schema.says, ...(remarks.get(name) ?? [])].filter((sentence) => sentence !== undefined).join(" ");
    const row = { path: name, type: nameType(schema), required: !isOptional(field), says };
    return [row, ...describeFields(schema).map((inner) => under(name, inner))];
  });
}

/** What an object's own rules say about its fields. */
function remarksOf({ fields, requires = {}, rule }: ObjectNode): ReadonlyMap<string, string[]> {
  const remarks = new Map<string, string[]>();
  const remark = (name: string, sentence: string) => {
    if (!Object.hasOwn(fields, name)) {
      throw new FramerailError("INVALID_ARGUMENT", `a rule is about ${name}, which is not a field of its object`);
    }
    remarks.set(name, [...(remarks.get(name) ?? []), sentence]);
  };
  for (const [name, needed] of Object.entries(requires)) {
    for (const other of needed) remark(other, `Required when \`${name}\` is present.`);
  }
  if (rule !== undefined) remark(rule.path, `${rule.says.slice(0, 1).toUpperCase()}${rule.says.slice(1)}.`);
  return remarks;
}

function describeChoice({ by, variants }: ChoiceNode): FieldRow[] {
  const described = Object.entries(variants).map(([value, variant]) => ({
    selector: `{${by}=${value}}`,
    says: variant.says ?? "",
    rows: describeFields(variant).filter(({ path }) => path !== by),
  }));
  const isShared = (row: FieldRow) => described.every(({ rows }) => rows.some((other) => isSameRow(row, other)));
  const discriminator = {
    path: by,
    type: listWords(Object.keys(variants)),
    required: true,
    says: "Which alternative.",
  };
  return [
    discriminator,
    ...described.flatMap(({ selector, says, rows }) => [
      { path: selector, type: "object", required: false, says },
      ...rows.filter((row) => !isShared(row)).map((row) => under(selector, row)),
    ]),
    ...(described[0]?.rows.filter(isShared) ?? []),
  ];
}

function isSameRow(a: FieldRow, b: FieldRow): boolean {
  return a.path === b.path && a.type === b.type && a.required === b.required && a.says === b.says;
}

function nameType(schema: Schema): string {
  switch (schema.kind) {
    case "string":
      return nameString(schema);
    case "literal":
      return `\`${JSON.stringify(schema.value)}\``;
    case "one_of":
      return nameOneOf(schema);
    case "boolean":
      return "boolean";
    case "number":
      return nameNumber(schema);
    case "json":
      return "any JSON";
    case "array":
      return `array of ${nameType(schema.items)}${schema.countMin ? `, at least ${schema.countMin}` : ""}`;
    case "map":
      return `object with free keys and values: ${nameType(schema.values)}`;
    case "object":
      return "object";
    case "choice":
      return `object by \`${schema.by}\``;
    case "nullable":
      return `${nameType(schema.inner)}, or null`;
    case "absent":
      return "never present";
    default:
      return unreachable(schema);
  }
}

function nameString({ pattern, lengthMin = 0, lengthMax }: StringNode): string {
  const matching = pattern === undefined ? "" : ` matching \`${pattern.source}\``;
  if (lengthMax === undefined) return `string${lengthMin > 0 ? ` of at least ${lengthMin} characters` : ""}${matching}`;
  return `string of ${lengthMin > 0 ? `${lengthMin} to` : "at most"} ${lengthMax} characters${matching}`;
}

function nameOneOf({ values, others }: OneOfNode): string {
  return listWords(values) + (others === undefined ? "" : `, or another word matching \`${others.source}\``);
}

function nameNumber({ whole, min }: NumberNode): string {
  return `${whole ? "integer" : "number"}${min === undefined ? "" : ` from ${min}`}`;
}

function listWords(words: readonly string[]): string {
  return words.map((word) => `\`${JSON.stringify(word)}\``).join(" or ");
}
