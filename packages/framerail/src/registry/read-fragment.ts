// Reads one fragment: a list of entries, or `{owner, events}` [W-REG-3].
// Owns: the fields of an entry and what each may hold. Does not own: whether entries agree with each other and with the
// locales (load-registry.ts, check-registry.ts).
//   F1. Every broken field is reported with its own line, not just the first.
//   F2. An entry with a broken field is not taken; its id still counts as used [W-REG-2].

import { STATUS_ID } from "@framerail/protocol";
import type { Pair, YAMLMap } from "yaml";
import { isMap, isNode, isScalar, isSeq } from "yaml";
import { BATCH_WINDOW_MS_MAX, DESCRIPTION_LENGTH_MAX, NAME_LENGTH_MAX } from "./limits.js";
import type { Report } from "./problem.js";
import { quote } from "./problem.js";
import type { YamlFile } from "./read-yaml.js";
import type { StatusEntry } from "./registry.js";
import { POLICIES } from "./registry.js";

export interface Fragment {
  readonly file: string;
  readonly owner: string;
  readonly entries: readonly StatusEntry[];
  /** Every id that stands in the file, also of entries that were not taken. */
  readonly ids: readonly { readonly id: string; readonly line: number }[];
}

type Broken = { readonly rule: string; readonly says: string } | undefined;
type FieldRule = (value: unknown) => Broken;
type FieldRules = { readonly [name: string]: { readonly required: boolean; readonly rule: FieldRule } };

const RENDER_KEY = /^[A-Za-z][\w-]*(?:\.[\w-]+)*$/;
/** Whatever names an agent; blanks and control characters never do. */
const AGENT_NAME = /^[^\s\p{Cc}]+$/u;
const GROUP_NAME = /^[a-z][a-z0-9_]*$/;
/** A team, `@org/team` or a mail address: what a CODEOWNERS file can name. */
const OWNER_NAME = /^(?:@[\w-]+(?:\/[\w.-]+)?|[A-Za-z0-9][\w.+-]*(?:@[\w.-]+)?)$/;
const LIFECYCLES = ["active", "deprecated"] as const;

const BATCH_FIELDS: FieldRules = {
  group: { required: true, rule: name(GROUP_NAME) },
  window_ms: { required: false, rule: windowMs },
};

const DEPRECATION_FIELDS: FieldRules = {
  since: { required: true, rule: day },
  note: { required: true, rule: description },
};

const ENTRY_FIELDS: FieldRules = {
  id: { required: true, rule: name(STATUS_ID) },
  description: { required: true, rule: description },
  default_render_key: { required: true, rule: name(RENDER_KEY) },
  default_policy: { required: true, rule: oneOf(POLICIES) },
  emitter_subagents: { required: true, rule: emitters },
  lifecycle: { required: true, rule: oneOf(LIFECYCLES) },
  deprecation: { required: false, rule: isMapValue },
  // Its own fields are judged one by one, below.
  batch: { required: false, rule: isMapValue },
};

const FILE_FIELDS: FieldRules = {
  owner: { required: false, rule: name(OWNER_NAME) },
  events: { required: true, rule: (value) => (Array.isArray(value) ? undefined : broken("type", "must be a list")) },
};

export function readFragment(yaml: YamlFile, defaultOwner: string, report: Report): Fragment {
  const { file, root } = yaml;
  const reader = { yaml, report };
  let owner = defaultOwner;
  let list: unknown = root;
  if (isMap(root)) {
    const fields = readFields(reader, root, FILE_FIELDS, null);
    if (typeof fields.values.owner === "string") owner = fields.values.owner;
    list = fields.nodes.get("events");
  } else if (root !== null && !isSeq(root)) {
    report({ file, line: yaml.lineOf(root), id: null, rule: "type", message: "must be a list of entries or a map" });
  }
  const entries: StatusEntry[] = [];
  const ids: { id: string; line: number }[] = [];
  for (const node of isSeq(list) ? list.items : []) {
    const line = yaml.lineOf(node);
    if (!isMap(node)) {
      report({ file, line, id: null, rule: "type", message: "an entry must be a map" });
      continue;
    }
    const id = idOf(node);
    if (id !== null) ids.push({ id, line });
    const fields = readEntryFields(reader, node, id);
    if (fields !== undefined) entries.push({ ...fields, owner, file, line });
  }
  return { file, owner, entries, ids };
}

interface Reader {
  readonly yaml: YamlFile;
  readonly report: Report;
}

type EntryFields = Omit<StatusEntry, "owner" | "file" | "line">;

function readEntryFields(reader: Reader, node: YAMLMap, id: string | null): EntryFields | undefined {
  const { values, nodes, ok } = readFields(reader, node, ENTRY_FIELDS, id);
  const batch = nodes.get("batch");
  const batchOk = !isMap(batch) || readFields(reader, batch, BATCH_FIELDS, id).ok;
  const deprecationOk = readDeprecation(reader, { values, nodes, ok }, id);
  // An entry that nobody may write is a mistake, until its writers have stopped.
  const isMute = Array.isArray(values.emitter_subagents) && values.emitter_subagents.length === 0;
  if (isMute && values.lifecycle !== "deprecated") {
    const line = reader.yaml.lineOf(nodes.get("emitter_subagents"));
    const message = "emitter_subagents must name at least one emitter of an active id";
    reader.report({ file: reader.yaml.file, line, id, rule: "range", message });
    return undefined;
  }
  // Every field has passed its rule, and each rule is what the interface says.
  return ok && batchOk && deprecationOk ? (values as unknown as EntryFields) : undefined;
}

// Who stops writing an id must know since when and what to write instead; and an id in use has neither.
function readDeprecation(reader: Reader, { values, nodes }: Fields, id: string | null): boolean {
  const node = nodes.get("deprecation");
  const isDeprecated = values.lifecycle === "deprecated";
  // An entry without a lifecycle is told of that alone.
  if (isDeprecated === nodes.has("deprecation") || !nodes.has("lifecycle"))
    return !isMap(node) || readFields(reader, node, DEPRECATION_FIELDS, id).ok;
  const message = isDeprecated
    ? "deprecation must say since when and what to write instead"
    : "deprecation must only stand at an entry whose lifecycle is deprecated";
  const line = reader.yaml.lineOf(nodes.get("lifecycle"));
  reader.report({ file: reader.yaml.file, line, id, rule: "deprecation", message });
  return false;
}

interface Fields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly nodes: ReadonlyMap<string, unknown>;
  readonly ok: boolean;
}

/** Judges the fields of a map one by one; `id` is whose they are. */
function readFields({ yaml, report }: Reader, map: YAMLMap, rules: FieldRules, id: string | null): Fields {
  const values: Record<string, unknown> = {};
  const nodes = new Map<string, unknown>();
  let ok = true;
  const fail = (node: unknown, rule: string, message: string) => {
    ok = false;
    report({ file: yaml.file, line: yaml.lineOf(node), id, rule, message });
  };
  for (const { key, value: node } of map.items as Pair[]) {
    const field = isScalar(key) ? key.value : undefined;
    if (typeof field !== "string" || !Object.hasOwn(rules, field)) {
      fail(key, "unknown-field", `${quote(field)} is no field here; there are ${Object.keys(rules).join(", ")}`);
      continue;
    }
    if (nodes.has(field)) fail(key, "duplicate-key", `${field} is there twice`);
    const value = isNode(node) ? (node.toJSON() as unknown) : null;
    const found = rules[field]?.rule(value);
    if (found !== undefined) fail(key, found.rule, `${field} ${found.says}, not ${quote(value)}`);
    values[field] = value;
    nodes.set(field, node);
  }
  for (const [field, { required }] of Object.entries(rules))
    if (required && !nodes.has(field)) fail(map, "missing-field", `${field} is missing`);
  return { values, nodes, ok };
}

function idOf(map: YAMLMap): string | null {
  const id: unknown = map.get("id");
  return typeof id === "string" && id.length <= NAME_LENGTH_MAX && STATUS_ID.test(id) ? id : null;
}

function broken(rule: string, says: string): Broken {
  return { rule, says };
}

function name(pattern: RegExp): FieldRule {
  return (value) => {
    if (typeof value !== "string") return broken("type", "must be a string");
    if (value.length > NAME_LENGTH_MAX) return broken("range", `must have at most ${NAME_LENGTH_MAX} characters`);
    return pattern.test(value) ? undefined : broken("pattern", `must match ${pattern.source}`);
  };
}

function oneOf(choices: readonly string[]): FieldRule {
  return (value) =>
    choices.some((choice) => choice === value) ? undefined : broken("one-of", `must be one of ${choices.join(", ")}`);
}

function description(value: unknown): Broken {
  if (typeof value !== "string" || value.trim() === "") return broken("type", "must be a sentence");
  if (value.length <= DESCRIPTION_LENGTH_MAX) return undefined;
  return broken("range", `must have at most ${DESCRIPTION_LENGTH_MAX} characters`);
}

function emitters(value: unknown): Broken {
  if (!Array.isArray(value)) return broken("type", "must be a list of names");
  for (const item of value) {
    const found = name(AGENT_NAME)(item);
    if (found !== undefined) return broken(found.rule, `must be a list of names without blanks`);
  }
  return new Set(value).size === value.length ? undefined : broken("range", "must name each emitter once");
}

function windowMs(value: unknown): Broken {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= BATCH_WINDOW_MS_MAX) return undefined;
  return broken("range", `must be whole milliseconds from 1 to ${BATCH_WINDOW_MS_MAX}`);
}

/** A day of the calendar, as `2026-05-15`; the 31st of June is none. */
function day(value: unknown): Broken {
  const isDay = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDay && new Date(value).toISOString().startsWith(value)
    ? undefined
    : broken("day", "must be a day like 2026-05-15");
}

function isMapValue(value: unknown): Broken {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? undefined : broken("type", "must be a map");
}
