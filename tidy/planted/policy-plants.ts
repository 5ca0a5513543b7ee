// Bugs to plant in the policy: each guard and bound with the smallest change that breaks it.
// A guard whose bug no test notices is not proved; `npx tsx tidy/planted/run.ts` plants them one by one.
// One long file, because it is one list: a table of places, with nothing to follow from row to row.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

/** Two files. */
const BATCH_TEST = "policy/status-batch";
const COHORT_TEST = "policy/cohort.test.ts";
const LOCALE_TEST = "policy/choose-locale.test.ts";
const PACE_TEST = "policy/status-pace.test.ts";
const POLICY_TEST = "policy/create-policy.test.ts";
const WORDS_TEST = "policy/render-status.test.ts";

const timing = plantIn("policy/limits.ts", COHORT_TEST);
const decide = plantIn("policy/create-policy.ts", POLICY_TEST);
const place = plantIn("policy/event-rules.ts", BATCH_TEST);
const cohort = plantIn("policy/cohort.ts", COHORT_TEST);
const rule = plantIn("policy/status-rules.ts", COHORT_TEST);
const wish = plantIn("policy/choose-locale.ts", LOCALE_TEST);
const layer = plantIn("policy/message-layers.ts", COHORT_TEST);
const words = plantIn("policy/render-status.ts", WORDS_TEST);
const batch = plantIn("policy/status-batch.ts", BATCH_TEST);
const pace = plantIn("policy/status-batch.ts", PACE_TEST);

const DECIDING: readonly Plant[] = [
  decide(
    "unknown types stay inside",
    "this.#tables.events.get(event.type) ?? KEPT_INSIDE",
    "this.#tables.events.get(event.type) ?? this.#tables.events.get('text')!",
  ),
  decide("what is kept inside is reported", '    this.#turn.report?.({ event, emitter, decision: "suppress" });\n', ""),
  decide("an unregistered id is reported as one", ", unregistered: true", ""),
  decide(
    "an unregistered id shows nothing",
    'unregistered: true });\n      return "suppress";',
    'unregistered: true });\n      this.#emit({ type: "status", payload: { data: { event_id: event.event_id, message: "?" } } });\n      return "suppress";',
  ),
  decide("a suppressed status shows nothing", 'decision !== "suppress" && ', ""),
  decide("a status after the close", " && !this.#closed", ""),
  decide("text after the close", "if (!this.#closed) this.#turn.emit(draft);", "this.#turn.emit(draft);"),
  decide("the close ends the timers", "    this.#batch?.close();\n", ""),
  decide(
    "forwarding is not reported",
    "      this.#emit(toDraft(event));\n",
    '      this.#turn.report?.({ event, emitter, decision: "forward" });\n      this.#emit(toDraft(event));\n',
  ),
  decide(
    "the emitter decides nothing",
    "this.#tables.statuses.get(event.event_id)",
    'emitter === "wallet" ? undefined : this.#tables.statuses.get(event.event_id)',
  ),
  decide(
    "turns share nothing that waits",
    "open: (turn) => new OpenPolicy(tables, turn)",
    "open: ((one) => (turn) => (one ??= new OpenPolicy(tables, turn)))(undefined as OpenPolicy | undefined)",
  ),
  plantIn("policy/event-rules.ts", POLICY_TEST)(
    "internal types have no frame",
    'policies[type] === "suppress") return KEPT_INSIDE;',
    'policies[type] === "suppress") return { ...KEPT_INSIDE, toDraft: () => ({ type: "thinking", payload: {} }) };',
  ),
  place("a batch before text", '  text: "batches",\n', ""),
  place("a batch before data", '  data_loaded: "batches",\n', ""),
  place("a batch before components", '  component: "batches",\n', ""),
  place("a batch before the error of a part", '  part_failed: "batches",\n', ""),
  place("a held status before the error", 'error: "every_status"', 'error: "batches"'),
  place("a held status before the end", 'end_stream: "every_status"', 'end_stream: "batches"'),
  place("other frames pass a batch", '?? "nothing"', '?? "batches"'),
  plantIn("policy/event-rules.ts", PACE_TEST)(
    "text does not break the pace",
    'text: "batches"',
    'text: "every_status"',
  ),
  plantIn("policy/event-rules.ts", COHORT_TEST)(
    "a cohort hides an event type",
    ' || policies[type] === "suppress"',
    "",
  ),
  timing("the shortest window", "windowMs: [1,", "windowMs: [0,"),
  timing("the longest window of the timing", "windowMs: [1, WINDOW_MS_MAX]", "windowMs: [1, WINDOW_MS_MAX + 1]"),
  timing("the longest collapse", "collapseMs: [0, COLLAPSE_MS_MAX]", "collapseMs: [0, COLLAPSE_MS_MAX + 1]"),
  timing(
    "the fastest pace",
    "statusesPerSecond: [1, STATUSES_PER_SECOND_MAX]",
    "statusesPerSecond: [1, STATUSES_PER_SECOND_MAX + 1]",
  ),
  timing("whole numbers", "Number.isInteger(value) && ", ""),
  timing(
    "a limit that nobody knows",
    "if (!Object.hasOwn(RANGES, name)) throw",
    "if (!Object.hasOwn(RANGES, name)) continue;\n    if (false) throw",
  ),
  cohort("a cohort has a name", 'if (cohort.name === "") throw', "if (false) throw"),
  cohort(
    "the name of a flag",
    "if (!FLAG.test(cohort.flag)) throw",
    'if (!cohort.flag.startsWith("ai_assistant")) throw',
  ),
  cohort("a policy that nobody knows", "if (!POLICIES.includes(policy))", "if (false)"),
  cohort(
    "what the registry suppresses stays so",
    'entry.default_policy === "suppress" && policy !== "suppress"',
    "false",
  ),
  cohort(
    "a key that names nothing",
    "if (!isEventType(key)) return",
    "if (!isEventType(key)) return undefined;\n  if (false) return",
  ),
  cohort(
    "an internal type stays inside",
    'return policy === "suppress" ? undefined : "the type is internal";',
    "return undefined;",
  ),
  cohort("what has a frame does not batch", 'if (policy !== "suppress") return "it has', 'if (false) return "it has'),
  cohort("a turn keeps its first and last frame", "if (ALWAYS_SHOWN.has(key))", "if (false)"),
  cohort("a tool's call goes with its end", 'tool_call_end: "tool_call",\n', ""),
  cohort("a tool's end goes with its call", '  tool_call: "tool_call_end",\n', ""),
  cohort("data goes with its placeholder", '  data_loaded: "data_loading",\n', ""),
  cohort("a window for no group", "if (!groups.has(group)) throw", "if (false) throw"),
  cohort("a cohort's window", "if (!isWindowMs(ms)) throw refuse", "if (false) throw refuse"),
  cohort("words for no locale", "locale !== registry.defaultLocale && !registry.locales.has(locale)", "false"),
  cohort("words for no key", "if (!keys.has(key)) throw", "if (false) throw"),
  cohort("a cohort may reword a part", ".add(key + CLAUSE_SUFFIX)", ""),
  cohort("a cohort may reword what joins", "new Set([BATCH_SENTENCE_KEY, FALLBACK_KEY])", "new Set<string>()"),
  rule("a suppressed entry stays suppressed", 'if (entry.default_policy === "suppress") return "suppress";', ""),
  rule(
    "an id's override before that of all",
    'overrides.get(entry.id) ?? overrides.get("status")',
    'overrides.get("status") ?? overrides.get(entry.id)',
  ),
  rule("an override for all statuses", ' ?? overrides.get("status")', ""),
  rule(
    "overrides have no inherited names",
    "new Map(Object.entries(cohort?.policies ?? {}))",
    "{ get: (key: string) => cohort?.policies?.[key] } as unknown as Map<string, PolicyName>",
  ),
  rule(
    "a cohort's window wins",
    "Object.entries(cohort?.windows ?? {})) windows.set(group, ms)",
    "Object.entries(cohort?.windows ?? {})) windows.get(group) ?? ms",
  ),
  rule("an entry's window is in range", "if (!isWindowMs(ms))", "if (false)"),
  plantIn("policy/status-rules.ts", POLICY_TEST)(
    "forwarding a status is rendering it",
    'policy === "forward" ? "transform" : policy',
    "policy as StatusRule['decision']",
  ),
  plantIn("policy/status-rules.ts", BATCH_TEST)("the shortest wish of a group", "Math.min(ms,", "Math.max(ms,"),
  plantIn("policy/status-rules.ts", BATCH_TEST)(
    "without a group an entry is alone",
    "batch?.group ?? id",
    'batch?.group ?? "other"',
  ),
  plantIn("policy/status-rules.ts", WORDS_TEST)("no id is an event type", "isEventType(id) || ", ""),
  plantIn("policy/status-rules.ts", WORDS_TEST)("no id is a frame type", " || isFrameType(id)", ""),
];

const SPEAKING: readonly Plant[] = [
  wish(
    "a wish ends at its language",
    'for (let tag = wish; tag !== ""; tag = shorten(tag))',
    'for (let tag = wish; tag !== ""; tag = "")',
  ),
  wish("any language is the default", 'if (wish === "*") break;', ""),
  wish("what is not wanted", "weight > 0", "weight >= 0"),
  wish("the best wish first", "other.weight - one.weight", "one.weight - other.weight"),
  wish("a weight over one", "weight <= 1 ? weight : 0", "weight"),
  wish("the number of wishes", 'split(",", WANTED_LOCALES_MAX)', 'split(",", WANTED_LOCALES_MAX + 1)'),
  wish("the length of a wish", "text.slice(0, WANTED_LENGTH_MAX)", "text"),
  wish("case does not matter", ".toLowerCase()", ""),
  wish("underscores do not matter", '.replaceAll("_", "-")', ""),
  wish("a fallback ends with the default", "[...chain.add(registry.defaultLocale)]", "[...chain]"),
  wish("a fallback goes by the language", "if (found !== undefined) chain.add(found);", ""),
  layer(
    "a cohort's words come first",
    '[createLayer(tag, reworded, "INVALID_ARGUMENT"), createLayer(tag, own, "INVALID_REGISTRY")]',
    '[createLayer(tag, own, "INVALID_REGISTRY"), createLayer(tag, reworded, "INVALID_ARGUMENT")]',
  ),
  layer("a cohort's broken words are its own fault", '"INVALID_ARGUMENT")', '"INVALID_REGISTRY")'),
  plantIn("policy/message-layers.ts", WORDS_TEST)("markup is text", "{ ignoreTag: true }", "{ ignoreTag: false }"),
  plantIn("policy/render-status.ts", COHORT_TEST)(
    "a clause comes from its sentence's layer",
    "layers.flatMap((layer) => layer.find(key + CLAUSE_SUFFIX) ?? layer.find(key) ?? [])",
    "[...layers.flatMap((layer) => layer.find(key + CLAUSE_SUFFIX) ?? []), ...sentences]",
  ),
  plantIn("policy/message-layers.ts", WORDS_TEST)(
    "a number that is none is not shown",
    "for (const name of numbers) requireNumber(name, values[name]);",
    "",
  ),
  plantIn("policy/message-layers.ts", WORDS_TEST)(
    "a number that is missing where it is not shown",
    "value !== undefined && Number.isNaN",
    "Number.isNaN",
  ),
  plantIn("policy/message-layers.ts", WORDS_TEST)(
    "a number that only chooses the words",
    "if (type === NUMBER) return",
    "if (type === NUMBER || type === PLURAL) return",
  ),
  words("a value is cut between characters", '.replace(HALF_PAIR_END, "")', ""),
  words(
    "rendering does not throw",
    "        options.onUnfilled?.({ render_key: message.key, locale: message.tag, error });\n",
    "        throw error;\n",
  ),
  words(
    "operators hear of unfilled messages",
    "        options.onUnfilled?.({ render_key: message.key, locale: message.tag, error });\n",
    "        void error;\n",
  ),
  words("the general sentence", "?? fill(fallbacks, NO_VALUES) ", ""),
  words("a message that becomes nothing gives way", 'if (text !== "") return text;', "return text;"),
  words("what is shown is one line", '.replace(NOT_ONE_LINE, " ")', ""),
  words("the bytes of a message", "STATUS_MESSAGE_BYTES_MAX - ELLIPSIS_BYTES", "STATUS_MESSAGE_BYTES_MAX"),
  words(
    "the length of a value",
    "text.length <= STATUS_VALUE_LENGTH_MAX",
    "text.length <= STATUS_VALUE_LENGTH_MAX + 1",
  ),
  words(
    "no value but text, numbers and truth",
    'else if (typeof value === "string") filled[name] = shorten(value);',
    "else filled[name] = shorten(typeof value === 'string' ? value : JSON.stringify(value));",
  ),
  words("truth values are shown", 'else if (typeof value === "boolean") filled[name] = String(value);', ""),
  words(
    "no values of the prototype",
    "const filled = Object.create(null) as Record<string, string | number>;",
    "const filled: Record<string, string | number> = {};",
  ),
  words("an entry without words", "if (sentences.length === 0)", "if (false)"),
  words("a locale that is none", 'throw new FramerailError("INVALID_REGISTRY", `', "throw new RangeError(`"),
  plantIn("policy/render-status.ts", BATCH_TEST)(
    "the frame is of the clauses' language",
    "languageOf(tag) === languageOf(locale)",
    "true",
  ),
  plantIn("policy/render-status.ts", BATCH_TEST)("a clause does not end a sentence", '.replace(SENTENCE_END, "")', ""),
  plantIn("policy/render-status.ts", BATCH_TEST)(
    "a joined sentence starts with a capital",
    "first.toLocaleUpperCase(locale)",
    "first",
  ),
];

const TIMING: readonly Plant[] = [
  batch("a window is opened once", "if (window === undefined) {", "if (true) {"),
  batch(
    "a window ends by itself",
    "this.#after(windowMs, () => this.#closeWindow(group))",
    "this.#after(windowMs, () => undefined)",
  ),
  batch(
    "a repeated id gets the new values",
    "    window.statuses.set(id, status);\n",
    "    if (!window.statuses.has(id)) window.statuses.set(id, status);\n",
  ),
  batch(
    "the statuses that wait",
    "this.#pendingCount >= PENDING_STATUSES_MAX",
    "this.#pendingCount > PENDING_STATUSES_MAX",
  ),
  batch("a closed window waits no more", "    this.#pendingCount -= window.statuses.size;\n", ""),
  batch("a repeated id waits once", "if (!window.statuses.has(id)) this.#pendingCount", "this.#pendingCount"),
  batch("what is shown has left the windows", "    this.#windows.delete(group);\n", ""),
  batch("a closed window keeps no timer", "    window.cancel();\n", ""),
  batch("the same words are said once", "clauses.size > 1 ? this", "statuses.length > 1 ? this"),
  batch("nothing to say is no clause", 'clause !== "" && ', ""),
  batch("a flush closes the windows", "#show(this.#held);\n    this.closeWindows();\n", "#show(this.#held);\n"),
  batch(
    "a flush tells what is held before the windows",
    "  flush(): void {\n    if (this.#held !== undefined) this.#show(this.#held);\n",
    "  flush(): void {\n",
  ),
  batch(
    "a batch that repeats an id is not overtaken",
    "this.#endWindow(group);\n      this.#showWithinPace();",
    "this.#endWindow(group);\n      this.#showHeld();",
  ),
  batch(
    "a batch that waits after its window is not overtaken",
    "what the windows hold.\n    this.#showHeldBatch();\n",
    "what the windows hold.\n",
  ),
  batch(
    "a batch takes nobody's place",
    "    this.#showWithinPace();\n    const statuses = this.#takeWindow(group);",
    "    const statuses = this.#takeWindow(group);",
  ),
  batch(
    "a batch loses its place to nobody",
    "  #offer(status: Status): void {\n    this.#showHeldBatch();\n",
    "  #offer(status: Status): void {\n",
  ),
  batch(
    "the newest is held, also when a batch is offered",
    " || newestOf(statuses) > newestOf(this.#held)",
    " || true",
  ),
  batch("a held batch may be the last frame", "if (this.#isClosed) return;", ""),
  pace("only batches are put before text", 'if (this.#held?.[0].rule.decision === "batch") ', ""),
  batch(
    "what is shown has left before it is shown",
    "    this.#held = undefined;\n    this.#shownInSecond += 1;",
    "    this.#shownInSecond += 1;",
  ),
  plantIn("policy/status-batch.ts", POLICY_TEST)(
    "a close leaves no timer",
    "for (const cancel of this.#timers) cancel();",
    "",
  ),
  plantIn("policy/status-batch.ts", POLICY_TEST)(
    "a close holds nothing",
    "    this.#held = undefined;\n    this.#windows.clear();",
    "    this.#windows.clear();",
  ),
  pace("what was just said is not repeated", "this.#recent.get(rule.id)?.sentence === status.sentence", "false"),
  pace(
    "the same id with other words waits",
    "if (!this.#held?.some(({ rule }) => this.#recent.has(rule.id))) this.#showWithinPace();",
    "this.#showWithinPace();",
  ),
  pace(
    "words that are true again replace what is held",
    "if (this.#held?.every(({ rule }) => rule.id === id)) this.#held = undefined;",
    "",
  ),
  pace(
    "five in a second",
    "this.#shownInSecond < this.#options.timing.statusesPerSecond",
    "this.#shownInSecond <= this.#options.timing.statusesPerSecond",
  ),
  pace("a second ends", "      this.#shownInSecond -= 1;\n", ""),
  pace(
    "what is held is shown when there is room",
    "      this.#shownInSecond -= 1;\n      this.#showHeld();",
    "      this.#shownInSecond -= 1;",
  ),
  pace(
    "what is held is shown when it may repeat",
    "this.#recent.delete(status.rule.id);\n      this.#showHeld();",
    "this.#recent.delete(status.rule.id);",
  ),
  batch(
    "the last status is never lost",
    "    this.closeWindows();\n    if (this.#held !== undefined) this.#show(this.#held);\n",
    "    this.closeWindows();\n",
  ),
  pace(
    "a later showing keeps its own time",
    "if (this.#recent.get(status.rule.id) === status) this.#recent",
    "this.#recent",
  ),
  pace("collapse can be switched off", "if (collapseMs === 0) return;", ""),
  pace("a collected status is not swallowed", "!isCollected && ", ""),
];

export const POLICY_PLANTS: readonly Plant[] = [...DECIDING, ...SPEAKING, ...TIMING];
