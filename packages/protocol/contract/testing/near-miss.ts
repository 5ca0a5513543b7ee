// Values that are almost right: a valid one with a single thing changed, somewhere within it. Most are invalid; some,
// such as one with an unknown field more, stay valid, which is as interesting for whoever compares two judges.

import fc from "fast-check";
import { compileCheck } from "../../src/schema/check.js";
import type { Schema } from "../../src/schema/schema.js";
import { arbitraryOf } from "./arbitrary-of.js";

type Path = readonly (string | number)[];

const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 53),
  "",
  "x",
  "not a word of any set!",
  "x".repeat(1_025),
  [],
  [{}],
  {},
  { code: "NONE" },
];

/** A value of the schema with one change. */
export function mutantOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.tuple(arbitraryOf(schema), fc.nat(), fc.nat()).map(([value, where, how]) => mutate(value, where, how));
}

/** As mutantOf, and refused by the schema's check for certain. */
export function nearMissOf(schema: Schema): fc.Arbitrary<unknown> {
  const check = compileCheck(schema);
  return mutantOf(schema).filter((value) => check(value) !== undefined);
}

/** The value with one change at one of its places, both picked by number; the value itself is left as it is. */
export function mutate(value: unknown, where: number, how: number): unknown {
  const places = placesOf(value);
  const place = places[where % places.length] as Path;
  const change = how % (REPLACEMENTS.length + 3);
  if (change === REPLACEMENTS.length) return removeAt(value, place);
  const replace = change < REPLACEMENTS.length ? () => REPLACEMENTS[change] : grow;
  return replaceAt(value, place, replace);
}

function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((key) => placesOf((value as Record<string | number, unknown>)[key], [...path, key]))];
}

function replaceAt(value: unknown, [key, ...rest]: Path, replace: (old: unknown) => unknown): unknown {
  if (key === undefined) return replace(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaceAt(item, rest, replace) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaceAt(fields[key], rest, replace) };
}

function removeAt(value: unknown, path: Path): unknown {
  const [last, ...before] = [...path].reverse();
  if (last === undefined) return undefined;
  return replaceAt(value, before.reverse(), (parent) => {
    if (Array.isArray(parent)) return parent.filter((_, index) => index !== last);
    return Object.fromEntries(Object.entries(parent as object).filter(([name]) => name !== last));
  });
}

function grow(value: unknown): unknown {
  if (typeof value === "string") return `${value} `;
  if (typeof value === "number") return value + 0.5;
  if (Array.isArray(value)) return [...value, "one more"];
  if (typeof value === "object" && value !== null) return { ...value, stream: "one more", error: {}, unknown_field: 1 };
  return [value];
}
