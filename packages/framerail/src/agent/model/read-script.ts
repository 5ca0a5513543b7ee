// Reads the YAML file of a scripted model.
// Owns: from text to a checked Script. Does not own: what a step means (scripted-model.ts).
//   S1. What is wrong is INVALID_AGENT, with the file's name and the line; a field nobody knows is wrong, since it would
//       otherwise be a typing error that silently does nothing.
//   S2. A file is bounded before it is parsed.

import { open } from "node:fs/promises";
import type { Issue } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { compileCheck } from "@framerail/protocol/schema";
import type { Document } from "yaml";
import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { SCRIPT_BYTES_MAX, SCRIPT_STEPS_MAX } from "./limits.js";
import type { Script } from "./script.js";
import { scriptSchema } from "./script.js";

const checkScript = compileCheck(scriptSchema, { unknown: "refuse" });

/** The script in a file. */
export async function loadScript(path: string): Promise<Script> {
  const file = await open(path);
  try {
    // One byte more than may be there tells a file that is too long, however long it is.
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(SCRIPT_BYTES_MAX + 1) });
    return readScript(buffer.toString("utf8", 0, bytesRead), path);
  } finally {
    await file.close();
  }
}

/** The script in a YAML text; `name` is what errors call it. */
export function readScript(yaml: string, name: string): Script {
  if (Buffer.byteLength(yaml) > SCRIPT_BYTES_MAX) throw refuse(name, 1, `must have at most ${SCRIPT_BYTES_MAX} bytes`);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw refuse(name, lines.linePos(mistake.pos[0]).line, "is not YAML");
  const value = contentsOf(document, name);
  const issue = checkScript(value) ?? findConflict(value as Script);
  if (issue !== undefined) throw refuse(name, lineOf(document, lines, issue.path), issue.message, issue);
  return value as Script;
}

function contentsOf(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new FramerailError("INVALID_AGENT", `${name}:1: has aliases that lead nowhere or too far`, { cause });
  }
}

/** Rules over several fields. */
function findConflict({ steps }: Script): Issue | undefined {
  if (steps.length > SCRIPT_STEPS_MAX) {
    return { path: "steps", rule: "count_max", message: `steps must have at most ${SCRIPT_STEPS_MAX} items` };
  }
  for (const [index, { fail, hang, text, reasoning, tool_calls }] of steps.entries()) {
    const path = `steps.${index}`;
    if (fail !== undefined && hang === true) {
      return { path: `${path}.hang`, rule: "conflict", message: `${path} can fail or hang, not both` };
    }
    if ([fail, text, reasoning, tool_calls].every((said) => said === undefined) && hang !== true) {
      return { path, rule: "empty", message: `${path} needs reasoning, text, tool_calls, fail or hang` };
    }
  }
  return undefined;
}

/** The line of a path, or of the nearest thing around it that is there. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: string): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const name of path === "" ? [] : path.split(".")) {
    if (!isCollection(node)) break;
    const key = isMap(node) ? node.items.find((pair) => isScalar(pair.key) && pair.key.value === name)?.key : undefined;
    node = node.get(isMap(node) ? name : Number(name), true);
    offset = startOf(key) ?? startOf(node) ?? offset;
  }
  return lines.linePos(offset).line;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function refuse(name: string, line: number, says: string, issue?: Issue): FramerailError {
  return new FramerailError("INVALID_AGENT", `${name}:${line}: ${says}`, issue === undefined ? {} : { issue });
}
