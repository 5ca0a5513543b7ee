// The compatibility gate: what a reader or a writer of the old document would trip over in the new one [W-FR-12, W-R-4].
// Owns: what is a break. Does not own: which documents belong together (gate.ts).
//   K1. Both sides of a wire rely on a contract. A reader relies on what it gets, a writer on what is taken, so a bound
//       is a break in either direction: narrowed for writers, widened for readers.
//   K2. A closed set of words may lose none and gain none: a reader's `switch` has no case for a new one. An open set
//       may gain words, which readers already expect, but lose none.
//   K3. A new type, a new optional field and new descriptions are additions: readers ignore what they do not know.
//   K4. A baseline with `"x-bounds": "unstated"` tells a version that published no bounds; those of today are not
//       breaks of it, only bounds it does state are held.

import type { Json } from "../src/schema/schema.js";
import type { Bounds, ObjectShape, Shape } from "./shape.js";
import { keywordsOf, readShape } from "./shape.js";

export type BreakKind =
  | "type_removed"
  | "field_removed"
  | "type_changed"
  | "newly_required"
  | "newly_optional"
  | "enum_changed"
  | "bound_narrowed"
  | "bound_widened";

export interface Break {
  /** The frame type. */
  readonly type: string;
  /** The field, as the reference writes it; "" is the type itself. */
  readonly path: string;
  readonly kind: BreakKind;
  readonly says: string;
}

interface Place {
  readonly type: string;
  readonly path: string;
  readonly boundsUnstated: boolean;
}

/** The breaks between two documents of the same wire version; empty when the newer one only adds. */
export function compareContracts(baseline: Json, current: Json): Break[] {
  const { $defs: was, "x-bounds": bounds } = keywordsOf(baseline, "the baseline");
  const { $defs: is } = keywordsOf(current, "the current document");
  const after = keywordsOf(is, "the current document");
  return Object.entries(keywordsOf(was, "the baseline")).flatMap(([type, schema]) => {
    const place = { type, path: "", boundsUnstated: bounds === "unstated" };
    const now = after[type];
    if (now === undefined) return [breakAt(place, "type_removed", "is gone; restore the type")];
    return compareSchemas(schema, now, place);
  });
}

function compareSchemas(was: Json, is: Json, at: Place): Break[] {
  const where = nameOf(at);
  const [before, after] = [readShape(was, where), readShape(is, where)];
  if (after.kind === "absent" && before.kind !== "absent") {
    return [breakAt(at, "field_removed", "may not be present any more; restore the field")];
  }
  return compareShapes(before, after, at) ?? [typeChanged(before.kind, after.kind, at)];
}

/** `undefined` when the two are of different kinds. */
function compareShapes(was: Shape, is: Shape, at: Place): Break[] | undefined {
  if (was.kind === "a set of words" && is.kind === was.kind) return compareWords(was, is, at);
  if (was.kind === "a value or null" && is.kind === was.kind) return compareSchemas(was.inner, is.inner, at);
  if (was.kind === "a choice" && is.kind === was.kind) return compareChoices(was, is, at);
  if (was.kind === "an object" && is.kind === was.kind) return compareObjects(was.object, is.object, at);
  if (was.kind === "a map" && is.kind === was.kind) {
    return [...compareBounds(was.bounds, is.bounds, at), ...compareSchemas(was.values, is.values, within(at, ".*"))];
  }
  if (was.kind === "an array" && is.kind === was.kind) {
    return [...compareBounds(was.bounds, is.bounds, at), ...compareSchemas(was.items, is.items, within(at, "[]"))];
  }
  if (was.kind !== is.kind) return undefined;
  return "bounds" in was && "bounds" in is ? compareBounds(was.bounds, is.bounds, at) : [];
}

function compareObjects(was: ObjectShape, is: ObjectShape, at: Place): Break[] {
  const breaks = compareBounds(was.bounds, is.bounds, at);
  for (const [name, schema] of was.properties) {
    const now = is.properties.get(name);
    const field = within(at, `.${name}`);
    if (now === undefined) breaks.push(breakAt(field, "field_removed", "is gone; restore the field"));
    else breaks.push(...compareSchemas(schema, now, field));
  }
  breaks.push(...comparePresence(was.required, is, at, ""));
  for (const name of new Set([...was.requires.keys(), ...is.requires.keys()])) {
    const now = { properties: is.properties, required: is.requires.get(name) ?? new Set<string>() };
    breaks.push(...comparePresence(was.requires.get(name) ?? new Set(), now, at, ` when ${name} is present`));
  }
  return breaks;
}

type Presence = Pick<ObjectShape, "properties" | "required">;

function comparePresence(was: ReadonlySet<string>, is: Presence, at: Place, when: string): Break[] {
  const added = [...is.required].filter((name) => !was.has(name));
  // A field that is gone altogether has been told already.
  const dropped = [...was].filter((name) => !is.required.has(name) && is.properties.has(name));
  return [
    ...added.map((name) =>
      breakAt(within(at, `.${name}`), "newly_required", `is required now${when}; make the field optional`),
    ),
    ...dropped.map((name) =>
      breakAt(within(at, `.${name}`), "newly_optional", `is not required any more${when}; require the field again`),
    ),
  ];
}

function compareChoices(was: Shape & { kind: "a choice" }, is: Shape & { kind: "a choice" }, at: Place): Break[] {
  if (was.by !== is.by) return [typeChanged(`a choice by ${was.by}`, `a choice by ${is.by}`, at)];
  const closed = (shape: typeof was) => ({ words: [...shape.variants.keys()], others: undefined });
  const breaks = compareWords(closed(was), closed(is), within(at, `.${was.by}`));
  for (const [word, variant] of was.variants) {
    const now = is.variants.get(word);
    if (now !== undefined) breaks.push(...compareSchemas(variant, now, within(at, `{${was.by}=${word}}`)));
  }
  return breaks;
}

interface Words {
  readonly words: readonly Json[];
  readonly others: string | undefined;
}

function compareWords(was: Words, is: Words, at: Place): Break[] {
  const lost = was.words.filter((word) => !is.words.includes(word));
  const gained = was.others === undefined ? is.words.filter((word) => !was.words.includes(word)) : [];
  const changes = [
    ...(lost.length > 0 ? [`lost ${JSON.stringify(lost)}`] : []),
    ...(gained.length > 0 ? [`gained ${JSON.stringify(gained)}`] : []),
    ...(was.others !== is.others ? [`took other words of ${was.others}, and now of ${is.others}`] : []),
  ];
  return changes.length === 0 ? [] : [breakAt(at, "enum_changed", `${changes.join(" and ")}; restore the words`)];
}

function compareBounds(was: Bounds, is: Bounds, at: Place): Break[] {
  const names = new Set([...was.keys(), ...is.keys()]);
  return [...names].flatMap((name) => {
    const [before, after] = [was.get(name), is.get(name)];
    if (before === after || (before === undefined && at.boundsUnstated)) return [];
    const kind = isNarrower(name, before, after) ? "bound_narrowed" : "bound_widened";
    const [from, to] = [before ?? "none", after ?? "none"];
    return [breakAt(at, kind, `had ${name} ${from} and has ${to}; restore the bound`)];
  });
}

// Whether one pattern, or one rule in words, takes more than another cannot be told: a change counts as narrower.
function isNarrower(name: string, before: number | string | undefined, after: number | string | undefined): boolean {
  if (before === undefined || after === undefined) return before === undefined;
  if (name.startsWith("min")) return after > before;
  if (name.startsWith("max")) return after < before;
  return true;
}

function typeChanged(was: string, is: string, at: Place): Break {
  return breakAt(at, "type_changed", `was ${was} and is ${is}; restore the type`);
}

function within(at: Place, step: string): Place {
  return { ...at, path: at.path === "" ? step.replace(/^\./, "") : at.path + step };
}

function nameOf({ type, path }: Place): string {
  return path === "" ? type : `${type}: ${path}`;
}

function breakAt(at: Place, kind: BreakKind, what: string): Break {
  return { type: at.type, path: at.path, kind, says: `${nameOf(at)} ${what}, or bump the wire version` };
}
