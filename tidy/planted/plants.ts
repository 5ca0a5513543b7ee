// Bugs to plant: for each guard and bound, the smallest change that breaks it, and the tests that must notice.
// A guard whose bug no test notices is not proved. `npx tsx tidy/planted/run.ts` plants them one by one.
// One long file, because it is one list: a table of places, with nothing to follow from row to row.

export interface Plant {
  /** What is broken, in a few words. */
  readonly guard: string;
  /** Whose `src` holds the file and the test; protocol when it is not said. */
  readonly package?: "protocol" | "framerail";
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The test file that must go red, or the start of the names of several. */
  readonly test: string;
}

const check = (guard: string, find: string, replace: string): Plant => ({
  guard,
  file: "schema/check.ts",
  find,
  replace,
  test: "schema/check.test.ts",
});
const encode = (guard: string, find: string, replace: string): Plant => ({
  guard,
  file: "frame/encode-frame.ts",
  find,
  replace,
  test: "frame/encode-frame.test.ts",
});
const mapping = (guard: string, find: string, replace: string): Plant => ({
  guard,
  file: "event/to-frame.ts",
  find,
  replace,
  test: "event/to-frame.test.ts",
});
const phase = (guard: string, find: string, replace: string): Plant => ({
  guard,
  file: "lifecycle/phase.ts",
  find,
  replace,
  test: "lifecycle/phase.test.ts",
});
const stream = (guard: string, find: string, replace: string): Plant => ({
  guard,
  file: "lifecycle/guard-stream.ts",
  find,
  replace,
  test: "lifecycle/guard-stream.test.ts",
});
const producer = (guard: string, find: string, replace: string): Plant => ({
  ...stream(guard, find, replace),
  file: "lifecycle/producer.ts",
  test: "lifecycle/guard-stream",
});
const turn = (guard: string, find: string, replace: string, file = "lifecycle/turn-guard.ts"): Plant => ({
  guard,
  file,
  find,
  replace,
  test: "lifecycle/turn-guard.test.ts",
});
const route = (guard: string, find: string, replace: string): Plant => ({
  guard,
  file: "pipeline/routes.ts",
  find,
  replace,
  test: "pipeline/routes.test.ts",
});

export const PLANTS: readonly Plant[] = [
  check("`__proto__` key of an object", 'Object.hasOwn(value, "__proto__")', "false"),
  check("`__proto__` key inside free JSON", 'if (key === "__proto__") return FORBIDDEN_KEY;', ""),
  check(
    "lone surrogate in a string field",
    'if (!isWellFormed(value)) return issue("well_formed"',
    'if (false) return issue("well_formed"',
  ),
  check("depth of free JSON", "depth >= JSON_DEPTH_MAX", "depth > JSON_DEPTH_MAX"),
  check(
    "NaN and fractions as counts",
    "whole ? Number.isSafeInteger : Number.isFinite",
    "whole ? (n: unknown) => typeof n === 'number' : Number.isFinite",
  ),
  check("negative counts", "(value as number) < min", "(value as number) < min - 1"),
  check("length bound", "value.length > lengthMax", "value.length > lengthMax + 1"),
  check("unknown fields in strict mode", 'options.unknown === "refuse"', "false"),
  check(
    "inherited names as a choice",
    "checks.get(value[by])",
    "(checks.get(value[by]) ?? (value[by] === 'toString' ? () => undefined : undefined))",
  ),
  check("a field that needs another", "if (missing !== undefined) return", "if (false) return"),
  check(
    "a rule over several fields",
    "rule !== undefined && !rule.holds",
    "false && rule !== undefined && !rule.holds",
  ),
  check("class instances as JSON", "if (!isPlainObject(value)) return issue(", "if (false) return issue("),
  check("the value in a message", "nameType(value)}`", "String(value)}`"),
  {
    guard: "line separators in quoted text",
    file: "schema/text.ts",
    find: "\\u0085\\u2028\\u2029]/;",
    replace: "\\u2028\\u2029]/;",
    test: "schema/text.test.ts",
  },
  {
    guard: "line separators in free JSON",
    file: "schema/text.ts",
    find: '!jsonText.includes("\\u2029")',
    replace: "true",
    test: "schema/text.test.ts",
  },
  {
    guard: "bytes of surrogate pairs",
    file: "schema/text.ts",
    find: "bytes += 2;\n      index += 1;",
    replace: "bytes += 2;",
    test: "schema/text.test.ts",
  },
  {
    guard: "byte bound, early exit",
    file: "schema/text.ts",
    find: "text.length * 3 <= bytesMax",
    replace: "text.length <= bytesMax",
    test: "schema/text.test.ts",
  },
  {
    guard: "only defined fields are written",
    file: "schema/write.ts",
    find: "{writeFields(value)}",
    replace: "{JSON.stringify(value).slice(1, -1)}",
    test: "schema/write.test.ts",
  },
  encode(
    "a frame is checked before it is written",
    'if (broken) throw refuse("INVALID_FRAME"',
    'if (false) throw refuse("INVALID_FRAME"',
  ),
  encode("frame size, one byte over", "FRAME_BYTES_MAX + around)", "FRAME_BYTES_MAX + around + 1)"),
  encode("the framing is not counted", "FRAME_BYTES_MAX + around)", "FRAME_BYTES_MAX)"),
  encode("a type's start is in its framing", "start: weld(before, plan.start)", "start: plan.start"),
  encode("a frame ends in its framing", "close: weld(plan.close, tail)", "close: plan.close"),
  encode("seq from 1", "seq < 1", "seq < 0"),
  encode("response_id", 'if (broken) throw refuse("INVALID_ARGUMENT"', 'if (false) throw refuse("INVALID_ARGUMENT"'),
  {
    guard: "timestamps never go back",
    file: "clock.ts",
    find: "latestMs = Math.max(latestMs, now);",
    replace: "latestMs = now;",
    test: "clock.test.ts",
  },
  {
    guard: "an unknown type is no error",
    file: "frame/read-frame.ts",
    find: 'if (check === undefined) return { kind: "unknown", event_type: type } as const;',
    replace: "if (check === undefined) throw new Error(type);",
    test: "frame/read-frame.test.ts",
  },
  {
    guard: "0.4: status left out",
    file: "frame/project-04.ts",
    find: "return undefined;",
    replace: 'return { ...frame, version: "0.4" } as never;',
    test: "frame/project-04.test.ts",
  },
  {
    guard: "0.4: cancelled is final",
    file: "frame/project-04.ts",
    find: "is_final: true };",
    replace: "is_final: false };",
    test: "frame/project-04.test.ts",
  },
  {
    guard: "0.4: codes of 0.5",
    file: "frame/project-04.ts",
    find: 'return "INTERNAL_ERROR";',
    replace: "return code as never;",
    test: "frame/project-04.test.ts",
  },
  {
    guard: "cancel codes not on error",
    file: "frame/failure.ts",
    find: "RATE_LIMIT_ERROR: rateLimitFailure,",
    replace: "RATE_LIMIT_ERROR: rateLimitFailure,\n  IDLE_TIMEOUT: cancellationSchema,",
    test: "frame/vocabulary.test.ts",
  },
  {
    guard: "prose as a name in error",
    file: "frame/failure.ts",
    find: "/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/",
    replace: "/^[A-Za-z0-9]/",
    test: "frame/vocabulary.test.ts",
  },
  {
    guard: "reason is a word",
    file: "frame/failure.ts",
    find: "/^[a-z][a-z0-9_]{0,63}$/",
    replace: "/^[a-z]/i",
    test: "frame/vocabulary.test.ts",
  },
  {
    guard: "usage adds up",
    file: "frame/usage.ts",
    find: "usage.total_tokens === usage.input_tokens + usage.output_tokens",
    replace: "usage.total_tokens >= 0",
    test: "frame/vocabulary.test.ts",
  },
  mapping(
    "tool results stay inside",
    "tool_result: SUPPRESS",
    'tool_result: (event) => ({ type: "text", payload: { chunk: JSON.stringify(event.result) } })',
  ),
  mapping(
    "an inner error is final",
    "error: failureOf(event), is_final: true",
    "error: failureOf(event), is_final: false",
  ),
  mapping(
    "unknown types at run time",
    "Object.hasOwn(FRAME_OF_EVENT, event.type) ? FRAME_OF_EVENT[event.type] : SUPPRESS",
    "FRAME_OF_EVENT[event.type]",
  ),
  mapping(
    "free error codes",
    'return { code: "INTERNAL_ERROR" };',
    'return { code: (error_code ?? "INTERNAL_ERROR") as "INTERNAL_ERROR" };',
  ),
  {
    guard: "aliases by own name only",
    file: "event/read-event.ts",
    find: "Object.hasOwn(ALIASES, type)",
    replace: "type in ALIASES",
    test: "event/read-event.test.ts",
  },
  phase("first message", "message & FIRST ? TO_PRELUDE", "message & (FIRST | IN_STREAMING) ? TO_PRELUDE"),
  phase(
    "dual-class message keeps the prelude",
    "message & IN_PRELUDE ? TO_PRELUDE : message & IN_STREAMING ? TO_STREAMING",
    "message & IN_STREAMING ? TO_STREAMING : message & IN_PRELUDE ? TO_PRELUDE",
  ),
  phase(
    "prelude message while streaming",
    "message & TERMINAL ? END : message & IN_STREAMING ? TO_STREAMING : VIOLATION),\n  terminal",
    "message & TERMINAL ? END : message & (IN_STREAMING | IN_PRELUDE) ? TO_STREAMING : VIOLATION),\n  terminal",
  ),
  phase(
    "nothing after the terminal",
    "terminal: () => LATE",
    "terminal: (message) => (message & TERMINAL ? END : LATE)",
  ),
  stream("a violation ends the stream", 'if (verdict === "violation") {', 'if (verdict === "violation" && false) {'),
  stream(
    "an exception becomes the terminal",
    "return yield ending(spec, spec.on_thrown_error(error));",
    "throw error;",
  ),
  stream(
    "a silent end becomes the terminal",
    "return yield ending(spec, (spec.on_silent_end ?? spec.on_violation)(details));",
    "return;",
  ),
  stream(
    "the producer is watched after its end",
    "if (endedByProducer) producer.watch(options.clock ?? systemClock);",
    "if (endedByProducer) producer.release();",
  ),
  stream("the producer is let go", "else producer.release();", "else void 0;"),
  stream(
    "what is no message is a violation",
    "type === NO_TYPE ? 0 : classify(spec, message)",
    "classify(spec, message)",
  ),
  stream(
    "an ending must be terminal",
    "if (spec.is_terminal(message)) return message;",
    "if (message) return message;",
  ),
  producer(
    "return is called once",
    "if (!open || iterator === undefined) return;",
    "if (iterator === undefined) return;",
  ),
  producer("late messages have a maximum", "seen < LATE_MESSAGES_MAX", "seen < 1e6"),
  producer(
    "a stuck producer has a deadline",
    "clock.schedule(LATE_WAIT_MS_MAX, release)",
    "clock.schedule(LATE_WAIT_MS_MAX, () => undefined)",
  ),
  producer(
    "one abort listener",
    "settleAborted = () => {",
    "signal.addEventListener('abort', () => resolve(ABORTED));\n      settleAborted = () => {",
  ),
  producer("the abort listener is taken off", 'signal?.removeEventListener("abort", onAbort);', ""),
  producer("a failing release is reported", "} catch (error) {\n      reports.releaseFailed(error);", "} catch {"),
  turn("only the first end", "if (!this.#latch.take(outcome)) return [];", "this.#latch.take(outcome);"),
  turn("the latch keeps the first outcome", "if (this.#taken !== undefined) return false;", "", "lifecycle/outcome.ts"),
  turn("open tools are closed", "return [...closers, terminal];", "return [terminal];"),
  turn("a terminal while tools run", "this.#running().length > 0", "false"),
  turn("tool_completed without its start", "!this.#tools?.close(tool)", "this.#tools?.close(tool) === false"),
  turn("a call that its phase refuses opens no pair", "if (this.passes(message)) {", "if (this.phase !== undefined) {"),
  {
    guard: "a platform's TextDecoder is not asked for at the import",
    file: "codec/decode-utf8.ts",
    find: "let utf8: TextDecoder | undefined;",
    replace: 'let utf8: TextDecoder | undefined = new TextDecoder("utf-8", { ignoreBOM: true });',
    test: "codec/decode-utf8.test.ts",
  },
  turn("another name at the end of a tool", "start.name !== tool.name ||", "", "lifecycle/tool-pairs.ts"),
  turn("an id opens once", "calls.has(tool.id)", "calls.get(tool.id)", "lifecycle/tool-pairs.ts"),
  turn("open tools have a maximum", "openCount >= openMax ||", "", "lifecycle/tool-pairs.ts"),
  turn("response_id comes first", "response_id: FIRST,", "response_id: IN_PRELUDE,", "lifecycle/turn-spec.ts"),
  turn("episode before text", "episode: IN_PRELUDE,", "episode: EARLY,", "lifecycle/turn-spec.ts"),
  turn("a final error is terminal", 'type === "error" && isFinal ? TERMINAL : ', "", "lifecycle/turn-spec.ts"),
  turn(
    "unknown types have no class",
    "(CLASSES.get(type) ?? 0)",
    "(CLASSES.get(type) ?? IN_STREAMING)",
    "lifecycle/turn-spec.ts",
  ),
  route("stream_status(start) alone in the prelude", "&& isStart(message)", ""),
  route(
    "a failed check is followed by eof",
    "!failedIsTerminal && isFailedCheck(message) ? complete() : undefined",
    "undefined",
  ),
  route("the older form of a failed check", "(failedIsTerminal && isFailedCheck(message))", "false"),
  route("no exception text in eof", "SENTENCES[codeOf(error)])", "String((error as Error)?.message ?? error))"),
  route("details cannot cost the end", "} catch {\n    return make();", "} catch (error) {\n    throw error;"),
  route(
    "records on sync",
    '"source_state", "stream_status", "progress", "control"',
    '"record", "source_state", "stream_status", "progress", "control"',
  ),
];
