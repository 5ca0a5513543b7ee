// Reads one locale file: nested keys, flattened by dots, each with its line.
// Owns: the shape of the file. Does not own: whether a message is good ICU (check-message.ts) or a key is needed.

import type { Node } from "yaml";
import { isMap, isScalar } from "yaml";
import { MESSAGE_LENGTH_MAX, NAME_LENGTH_MAX } from "./limits.js";
import type { Report } from "./problem.js";
import { quote } from "./problem.js";
import type { YamlFile } from "./read-yaml.js";

export interface LocaleFile {
  readonly file: string;
  readonly tag: string;
  readonly messages: ReadonlyMap<string, string>;
  readonly lines: ReadonlyMap<string, number>;
}

export function readLocale(yaml: YamlFile, tag: string, report: Report): LocaleFile {
  const { file, root } = yaml;
  const messages = new Map<string, string>();
  const lines = new Map<string, number>();
  const fail = (line: number, rule: string, message: string) => report({ file, line, id: null, rule, message });
  const add = (key: string, value: unknown, line: number) => {
    if (typeof value !== "string") fail(line, "type", `${quote(key)} must be a text, not ${quote(value)}`);
    else if (value.length > MESSAGE_LENGTH_MAX) fail(line, "range", `${quote(key)} is over ${MESSAGE_LENGTH_MAX}`);
    else if (messages.has(key)) fail(line, "duplicate-key", `${quote(key)} is also in line ${lines.get(key)}`);
    else {
      messages.set(key, value);
      lines.set(key, line);
    }
  };
  // The depth of the file is bounded before it gets here (read-yaml.ts), so this cannot run out of stack.
  const flatten = (node: Node | null, prefix: string, line: number): void => {
    if (!isMap<unknown, Node | null>(node)) {
      add(prefix, isScalar(node) ? node.value : (node?.toJSON() ?? null), line);
      return;
    }
    for (const { key, value } of node.items) {
      const own = isScalar(key) ? key.value : undefined;
      const at = yaml.lineOf(key);
      const path = prefix === "" ? String(own) : `${prefix}.${String(own)}`;
      if (typeof own !== "string" || own === "") fail(at, "type", "a key must be a text");
      else if (path.length > NAME_LENGTH_MAX) fail(at, "range", `the key is over ${NAME_LENGTH_MAX} characters`);
      else flatten(value, path, at);
    }
  };
  if (root !== null && !isMap(root)) fail(yaml.lineOf(root), "type", "must be a map of messages");
  else if (root !== null) flatten(root, "", 1);
  return { file, tag, messages, lines };
}
