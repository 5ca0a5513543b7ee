// JSON text from outside to a value, with one kind of error.
// Owns: what is refused before any schema looks. Does not own: whether the value means anything (compileCheck).
//   J1. Nothing but a FramerailError is thrown, and no part of the input enters its message or its cause: an engine's
//       own SyntaxError quotes the text, which may be a secret.
//   J2. A value that is returned nests at most PARSED_DEPTH_MAX deep, so those who walk it may recurse, and holds no own
//       `__proto__` key, with which a merge would swap a prototype.
//   J3. Text that can break neither rule of J2 is parsed and not walked.

import type { Issue } from "../error.js";
import { refuse } from "../error.js";
import { PARSED_DEPTH_MAX } from "../limits.js";
import type { Json } from "../schema/schema.js";
import { requireString } from "./check-argument.js";

export function parseJson(text: string): Json {
  requireString(text, "text");
  const value = parseText(text);
  if (mayHoldForbiddenKey(text) || mayNestTooDeep(text)) {
    const issue = findIssue(value, 1);
    if (issue !== undefined) throw refuse("MALFORMED_JSON", "JSON refused", issue);
  }
  return value;
}

function parseText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Bad syntax, or nesting that this engine cannot follow. The engine's error is left out on purpose (J1).
    throw refuse("MALFORMED_JSON", "JSON refused", { path: "", rule: "json", message: "must be JSON text" });
  }
}

// A key can be spelled with escapes; those of its letters all start with \u00.
function mayHoldForbiddenKey(text: string): boolean {
  return text.includes("__proto__") || text.includes("\\u00");
}

function mayNestTooDeep(text: string): boolean {
  let opened = 0;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > PARSED_DEPTH_MAX) return true;
    }
  }
  return false;
}

function findIssue(value: Json, depth: number): Issue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > PARSED_DEPTH_MAX) {
    return { path: "", rule: "depth_max", message: `must nest at most ${PARSED_DEPTH_MAX} deep` };
  }
  const parts = value as { readonly [key: string]: Json };
  for (const key of Object.keys(parts)) {
    if (key === "__proto__") return { path: key, rule: "forbidden_key", message: "must not use __proto__ as a key" };
    const issue = findIssue(parts[key] as Json, depth + 1);
    if (issue !== undefined) return { ...issue, path: issue.path === "" ? key : `${key}.${issue.path}` };
  }
  return undefined;
}
