// Bugs to plant in the registry and its command: each guard and bound with the smallest change that breaks it.
// A guard whose bug no test notices is not proved; `npx tsx tidy/planted/run.ts` plants them one by one.
// One long file, because it is one list: a table of places, with nothing to follow from row to row.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

const LOAD_TEST = "registry/load-registry.test.ts";
const CHECK_TEST = "registry/check-registry.test.ts";
const COMMAND_TEST = "cli/registry-command.test.ts";

const yaml = plantIn("registry/read-yaml.ts", LOAD_TEST);
const load = plantIn("registry/load-registry.ts", LOAD_TEST);
const fragment = plantIn("registry/read-fragment.ts", "registry/read-fragment.test.ts");
const merged = plantIn("registry/read-fragment.ts", LOAD_TEST);
const locale = plantIn("registry/read-locale.ts", LOAD_TEST);
const problem = plantIn("registry/problem.ts", LOAD_TEST);
const check = plantIn("registry/check-registry.ts", CHECK_TEST);
const message = plantIn("registry/check-message.ts", CHECK_TEST);
const judge = plantIn("registry/judge-emissions.ts", "registry/judge-emissions.test.ts");
const hash = plantIn("registry/hash-registry.ts", "registry/hash-registry.test.ts");
const describe = plantIn("registry/describe-registry.ts", "registry/describe-registry.test.ts");
const types = plantIn("registry/registry-types.ts", "registry/registry-types.test.ts");
const command = plantIn("cli/registry-command.ts", COMMAND_TEST);

const READING: readonly Plant[] = [
  yaml("the bytes of a file", "found.size > FILE_BYTES_MAX)", "found.size > FILE_BYTES_MAX + 1)"),
  yaml("what is no file is not read", "!found.isFile()", "false"),
  yaml(
    "no path of a machine in a problem",
    'return typeof code === "string" ? code : "unknown";',
    "return String(error);",
  ),
  yaml("bytes that are not UTF-8", "fatal: true", "fatal: false"),
  yaml("the depth of a file", "parser.stack.length > YAML_DEPTH_MAX", "parser.stack.length > YAML_DEPTH_MAX + 1"),
  yaml("the line of what is too deep", "    line += 1;\n", ""),
  yaml("anchors", "(isAlias(node) || node.anchor !== undefined)", "isAlias(node)"),
  yaml("aliases", "(isAlias(node) || node.anchor !== undefined)", "(node.anchor !== undefined)"),
  yaml("a file with aliases gives no nodes", "aliases + broken.length === 0", "broken.length === 0"),
  yaml("tags of one's own", "[...document.errors, ...document.warnings]", "[...document.errors]"),
  yaml("keys are compared in one place", "uniqueKeys: false", "uniqueKeys: true"),
  yaml("the line of an error of syntax", "lineAt(error.pos[0])", "1"),
  load("the number of files", "names.length > FILES_MAX", "names.length > FILES_MAX + 1"),
  load("files over the number are left alone", ".slice(0, FILES_MAX)", ""),
  load("the order of files", ".sort(compareText)", ".sort((a, b) => compareText(b, a))"),
  load("hidden files", '!name.startsWith(".")', "true"),
  load("a folder that cannot be read", "if (exists(join(dir, folder)))", "if (false)"),
  load("a folder that is a link to nowhere", "if (exists(join(dir, folder)))", 'if (codeOf(error) !== "ENOENT")'),
  load("a vertical that is a link to nowhere", "if (leadsNowhere(", "if (false && leadsNowhere("),
  load("a platform that is a link to nowhere", 'if (!leadsNowhere("platform")) look', "look"),
  load("a fragment called .yml", "exists(join(dir, folder, MISNAMED_FRAGMENT))", "false"),
  load("a locale called .yml", 'name.endsWith(".yml")', "false"),
  load("the name of a vertical", "VERTICAL_NAME.test(name)", "true"),
  load("a folder without fragments", "found.length === 0", "false"),
  load("an id in two fragments", "if (first === undefined) places", "if (first !== null) places"),
  load("the first of two ids is taken", "if (!entries.has(entry.id)) entries", "entries"),
  load(
    "a vertical owns its fragment",
    ", name);\n    else report(misnamed(",
    ', "platform");\n    else report(misnamed(',
  ),
  load("a fragment that is a link to nowhere", "lstatSync(path,", "statSync(path,"),
  load("a vertical behind a link", "return statSync(path,", "return lstatSync(path,"),
  plantIn("registry/load-registry.ts", CHECK_TEST)(
    "the chosen default locale",
    "options.defaultLocale ?? DEFAULT_LOCALE",
    "DEFAULT_LOCALE",
  ),
  fragment("every broken field is named", "if (found !== undefined) fail(", "if (found !== undefined && ok) fail("),
  fragment("fields that every object has", "!Object.hasOwn(rules, field)", "!(field in rules)"),
  merged("a field that is there twice", "if (nodes.has(field)) fail(key,", "if (false) fail(key,"),
  fragment("a field that is missing", "required && !nodes.has(field)", "required && nodes.has(field) && false"),
  fragment("an entry with a broken field is not taken", "return ok && batchOk", "return batchOk"),
  fragment("an entry with a broken batch is not taken", "return ok && batchOk", "return ok"),
  fragment("an active id has an emitter", 'if (isMute && values.lifecycle !== "deprecated")', "if (false)"),
  fragment("a deprecated id may have none", 'if (isMute && values.lifecycle !== "deprecated")', "if (isMute)"),
  merged(
    "the id of a broken entry is used",
    "return { file, owner, entries, ids };",
    "return { file, owner, entries, ids: entries };",
  ),
  merged("the owner in the file", 'if (typeof fields.values.owner === "string")', "if (false)"),
  fragment("the length of a name", "if (value.length > NAME_LENGTH_MAX)", "if (value.length > NAME_LENGTH_MAX + 1)"),
  fragment(
    "the length of a description",
    "value.length <= DESCRIPTION_LENGTH_MAX",
    "value.length <= DESCRIPTION_LENGTH_MAX + 1",
  ),
  fragment("a blank description", 'value.trim() === ""', 'value === ""'),
  fragment("an emitter named twice", "new Set(value).size === value.length", "true"),
  fragment("a lifecycle that is missing is told once", ' || !nodes.has("lifecycle")', ""),
  fragment("a window of no time", "Number(value) >= 1", "Number(value) >= 0"),
  fragment("the longest window", "Number(value) <= BATCH_WINDOW_MS_MAX", "Number(value) <= BATCH_WINDOW_MS_MAX + 1"),
  fragment("a window of half a millisecond", "Number.isSafeInteger(value)", "Number.isFinite(value)"),
  locale("the length of a message", "value.length > MESSAGE_LENGTH_MAX", "value.length > MESSAGE_LENGTH_MAX + 1"),
  locale("the length of a key", "path.length > NAME_LENGTH_MAX", "path.length > NAME_LENGTH_MAX + 1"),
  locale("a key that is there twice", "messages.has(key)", "false"),
  locale("a message that is no text", 'if (typeof value !== "string")', "if (value === null)"),
  locale("an empty key", ' || own === ""', ""),
  problem("a value cannot speak to a terminal", "JSON.stringify(value) ?? String(value)", "String(value)"),
  problem("a quoted value is short", "text.length > QUOTED_LENGTH_MAX", "false"),
];

const JUDGING: readonly Plant[] = [
  check("every entry has its default sentence", " || tag === registry.defaultLocale", ""),
  check("every active entry has its sentence everywhere", 'entry.lifecycle === "active" || ', ""),
  check("a default locale that is missing", "!registry.locales.has(registry.defaultLocale) && !isBroken", "false"),
  check("a broken default locale is named once", " && !isBroken", ""),
  check("policy batch needs a group", "entry.batch === undefined", "false"),
  check("the spelling of a locale's tag", "canonical !== tag", "false"),
  check("a language that Intl does not know", "Intl.PluralRules.supportedLocalesOf(tag).length > 0", "true"),
  check("a value that a message is never given", "strange.length > 0", "false"),
  check("a part is filled like its sentence", "ids.has(key) ? key : withoutPart(key)", "key"),
  check("a key of its own that ends like a part", "ids.has(key) ? key : withoutPart(key)", "withoutPart(key)"),
  check("a key that is another one's part", "if (whole !== undefined) {", "if (false) {"),
  check("the batch sentence shows its parts", "key === BATCH_SENTENCE_KEY && reading.names.size === 0", "false"),
  check(
    "the id a broken message belongs to",
    "ids.get(key) ?? ids.get(withoutPart(key))",
    "ids.get(withoutPart(key + '_'))",
  ),
  check("more ids than the soft maximum", "count <= IDS_SOFT_MAX", "count <= IDS_SOFT_MAX + 1"),
  check("warnings fail nothing", "ok: errors.length === 0", "ok: errors.length + warnings.length === 0"),
  check("a deprecated entry is named", 'if (entry.lifecycle === "deprecated")', "if (false)"),
  check("an entry of two verticals is named", "vertical !== undefined && others.length > 0", "false"),
  check("an emitter that is no vertical", " && verticals.has(name)", ""),
  check("a used key that ends like a part", "!used.has(key) && ", ""),
  check("an id with the name of an event", "isEventType(entry.id) || ", ""),
  check("an id with the name of a frame", " || isFrameType(entry.id)", ""),
  check("a key that nobody uses", "!used.has(withoutPart(key))", "false"),
  check("no unused keys beside a broken fragment", "if (loaded.problems.length === 0)", "if (true)"),
  check("problems are in the order of files", "errors: sortProblems(errors)", "errors"),
  message("markup in a message", "tags.length > 0", "false"),
  message("every tag is named", "      visit(element.children ?? []);\n", ""),
  message("a message that says nothing", 'text.trim() === ""', 'text === "nothing"'),
  message("every plural category is tried", "[0, 1, 2, 3, 5, 6, 11, 21, 100, 1_000_000, 1.5]", "[1]"),
  message("every option is tried", "return Object.keys(options ?? {});", 'return ["other"];'),
  message("the stricter use of a name decides", " || known.length < own.length", ""),
  message("names inside options", "visit(option.value);", "void option;"),
  plantIn("registry/open-registry.ts", CHECK_TEST)(
    "a start refuses errors",
    "errors.length === 0",
    "errors.length >= 0",
  ),
  judge(
    "an unknown id",
    "if (entry === undefined)",
    "if (entry === undefined) return undefined;\n  if (entry === null)",
  ),
  judge("another's id", "!entry.emitter_subagents.includes(emitter)", "false"),
  judge("a deprecated id", 'entry.lifecycle === "deprecated" && !allowDeprecated', "false"),
  judge("the grace of a deprecated id", " && !allowDeprecated", ""),
  judge(
    "grace makes no id one's own",
    "!entry.emitter_subagents.includes(emitter)",
    "!allowDeprecated && !entry.emitter_subagents.includes(emitter)",
  ),
  judge("every emitter is looked at", "of manifest.emitters)", "of manifest.emitters.slice(0, 1))"),
  judge("every miss is named", "problems.push({ ...found, id, emitter })", "return [{ ...found, id, emitter }]"),
  judge("an id is named once for each emitter", "of new Set(emits)", "of emits"),
  hash("the description is part of the digest", "      entry.description,\n", ""),
  hash(
    "the emitters are part of the digest",
    "[...entry.emitter_subagents].sort(compareText)",
    "entry.emitter_subagents.length > 9",
  ),
  hash(
    "the order of emitters means nothing",
    "[...entry.emitter_subagents].sort(compareText)",
    "entry.emitter_subagents",
  ),
  hash("since when an entry is deprecated is part of the digest", "[entry.deprecation.since, ", "["),
  hash("why an entry is deprecated is part of the digest", ", entry.deprecation.note]", "]"),
  hash("the window is part of the digest", "entry.batch.window_ms ?? null", "null"),
  hash("the owner is part of the digest", "      entry.owner,\n", ""),
  hash("the default locale is part of the digest", "    defaultLocale,\n", ""),
  hash("the order of entries means nothing", "entries: sorted(entries)", "entries: [...entries]"),
  hash("the order of messages means nothing", "[tag, sorted(messages)]", "[tag, [...messages]]"),
  describe("rows are in the order of ids", ".sort((a, b) => compareText(a.id, b.id))", ".reverse()"),
  describe("a handle stays as it is", 'owner.includes("@") ? owner : ', ""),
  describe(
    "what is special stands below",
    "...[[base, platform] as const, ...rows]",
    "...[...rows, [base, platform] as const]",
  ),
  describe("a blank in a path", '.replaceAll(" ", "\\\\ ")', ""),
  types("no types for deprecated ids", '.filter(({ lifecycle }) => lifecycle === "active")', ""),
  types("types are in the order of ids", "ids.sort(compareText)", "ids"),
  command("a check with errors ends with 1", "if (!check.ok) terminal.fail();", ""),
  command("no list of a registry with errors", "if (ok) return loaded;", "if (ok || !ok) return loaded;"),
  command(
    "other commands fail on errors",
    '  terminal.err(showProblems("error", errors));\n  terminal.fail();',
    '  terminal.err(showProblems("error", errors));',
  ),
  command("a file that cannot be written", ")})\\n`);\n    terminal.fail();", ")})\\n`);"),
  command(
    "one JSON document and nothing else",
    "null, 2)}\\n`);\n    return;\n  }\n  const { fragments",
    "null, 2)}\\n`);\n  }\n  const { fragments",
  ),
  command("a problem is one line", "toOneLine(`", "String(`"),
  plantIn("registry/open-registry.ts", COMMAND_TEST)("a problem is one line at the start", "onOneLine(`", "String(`"),
  plantIn("worker/build-agents.ts", COMMAND_TEST)("a refused emission is one line", "=> onOneLine(", "=> String("),
  plantIn("cli/program.ts", COMMAND_TEST)(
    "a refusal commands no terminal",
    "createControlStripper()(error.message)",
    "error.message",
  ),
  command("a registry outside the current folder", 'folder: isInside ? folder : ""', "folder"),
];

export const REGISTRY_PLANTS: readonly Plant[] = [...READING, ...JUDGING];
