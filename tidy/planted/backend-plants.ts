// Bugs to plant in the backends: each guard and bound with the smallest change that breaks it.
// A guard whose bug no test notices is not proved; `npx tsx tidy/planted/run.ts` plants them one by one.
// One long file, because it is one list: a table of places, with nothing to follow from row to row.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

const AGENT_TEST = "backend/upstream/upstream-agent.test.ts";
const EVENTS_TEST = "backend/upstream/event-relay.test.ts";
const GRAPH_TEST = "backend/langgraph/from-lang-graph.test.ts";
const MESSAGES_TEST = "backend/langgraph/graph-messages.test.ts";
const READER_TEST = "backend/langgraph/message-reader.test.ts";
const TURN_TEST = "backend/upstream/relay-turn.test.ts";
const NAMES_TEST = "worker/leak-names.test.ts";
const SAID_TEST = "backend/said-at-once.test.ts";
const WHOLE_TEST = "backend/whole-turn.test.ts";

const manifest = plantIn("backend/create-manifest.ts", AGENT_TEST);
const pair = plantIn("backend/tool-pairing.ts", EVENTS_TEST);
const pairing = plantIn("backend/tool-pairing.ts", "backend/tool-pairing.test.ts");
const input = plantIn("backend/langgraph/from-lang-graph.ts", "backend/langgraph/author-input.test.ts");
const outbox = plantIn("backend/outbox.ts", SAID_TEST);
const told = plantIn("backend/langgraph/told-calls.ts", "backend/langgraph/told-calls.test.ts");
const notice = plantIn("backend/notices.ts", EVENTS_TEST);
const idle = plantIn("backend/idle-timeout.ts", "backend/idle-timeout.test.ts");
const event = plantIn("backend/upstream/event-relay.ts", EVENTS_TEST);
const failure = plantIn("backend/upstream/upstream-failure.ts", EVENTS_TEST);
const turn = plantIn("backend/upstream/relay-turn.ts", TURN_TEST);
const http = plantIn("backend/upstream/http-transport.ts", TURN_TEST);
const body = plantIn("backend/upstream/body-decoder.ts", AGENT_TEST);
const agent = plantIn("backend/upstream/upstream-agent.ts", AGENT_TEST);
const graph = plantIn("backend/langgraph/from-lang-graph.ts", GRAPH_TEST);
const custom = plantIn("backend/langgraph/custom-event.ts", GRAPH_TEST);
const thrown = plantIn("backend/langgraph/graph-failure.ts", GRAPH_TEST);
const reader = plantIn("backend/langgraph/message-reader.ts", READER_TEST);
const calls = plantIn("backend/langgraph/call-pieces.ts", READER_TEST);
const json = plantIn("backend/langgraph/plain-json.ts", READER_TEST);
const message = plantIn("backend/langgraph/message-reader.ts", MESSAGES_TEST);
const content = plantIn("backend/langgraph/message-content.ts", "backend/langgraph/message-content.test.ts");
const text = plantIn("backend/langgraph/text-pieces.ts", MESSAGES_TEST);
const usage = plantIn("backend/langgraph/model-usage.ts", MESSAGES_TEST);

const UPSTREAM: readonly Plant[] = [
  manifest("the name of an agent", "!AGENT_ID.test(id)", 'id === ""'),
  manifest("the length of an agent's name", "{0,255}$", "{0,256}$"),
  manifest("the status ids of an agent", "!STATUS_ID.test(status)", "false"),
  pair(
    "a result closes its call",
    "          write(refer(event));\n          close(event.tool_call_id);\n",
    "          write(refer(event));\n",
  ),
  pair(
    "an end finds its call open",
    "if (call === undefined) return;",
    "if (call === undefined) { write({ type: 'tool_call_end', tool_call_id, tool_name: 'x' }); return; }",
  ),
  pair("a call closes once", "    open.delete(tool_call_id);\n", ""),
  pair("an end repeats the type of its start", "      ...(tool_type !== undefined && { tool_type }),\n", ""),
  pair("an end keeps its own status", "close(event.tool_call_id, event.status);", "close(event.tool_call_id);"),
  pairing("an id that comes again names another call", "tool_call_id: ids.take(tool_call_id) });", "tool_call_id });"),
  pairing("a copy of an open call", "    if (open.has(tool_call_id)) return;\n", ""),
  pairing(
    "a result goes to the latest call of its id",
    "write(refer(event));\n          close",
    "write(event);\n          close",
  ),
  pairing("the calls of a turn of a service", "ids.count >= CALLS_PER_TURN_MAX", "ids.count > CALLS_PER_TURN_MAX"),
  pair("the open calls of a turn", "open.size >= OPEN_CALLS_MAX", "open.size > OPEN_CALLS_MAX"),
  notice("the notices of a turn", "if (told > NOTICES_MAX) return;", ""),
  notice("the last notice says that it is", "told === NOTICES_MAX ? ", "told < 0 ? "),
  notice("no foreign sentence in a notice", " && PLAIN_NAME.test(name)", ""),
  idle("an idle cancellation is known by its cause", "error.cause === IDLE_TIMEOUT", "true"),
  idle("one timer at a time", "      stop();\n      cancel = clock", "      cancel = clock"),
  idle("a stopped timer is taken back", "    cancel?.();\n", ""),
  event("the service's opening is swallowed", 'event.type !== "init_stream" && ', ""),
  plantIn("backend/upstream/event-relay.ts", WHOLE_TEST)(
    "the runtime alone shows usage",
    ' && event.type !== "usage"',
    "",
  ),
  plantIn("backend/upstream/relay-turn.ts", WHOLE_TEST)("every way out settles the sum", "relay.settle();", ""),
  plantIn("backend/upstream/service-usage.ts", WHOLE_TEST)(
    "what calls have told",
    "sum[field] - told[field]",
    "sum[field]",
  ),
  plantIn("backend/tool-pairing.ts", NAMES_TEST)(
    "the tool of a component",
    "write(nameForClients(refer(event)));",
    "write(refer(event));",
  ),
  plantIn("backend/tool-pairing.ts", NAMES_TEST)("a part that failed", "failureForClients(event.error)", "event.error"),
  outbox("long text is written at the log's pace", "          await untilAborted(own.ready(), signal);\n", ""),
  outbox(
    "long text is cut into pieces",
    "if (event.content.length <= PACE_LENGTH_MAX) return [event];",
    "return [event];",
  ),
  outbox("a cancel ends the wait in a long text", "await untilAborted(own.ready(), signal);", "await own.ready();"),
  outbox("accounting that waited is kept", "if (ACCOUNTING.has(event.type)) own.write(event);", ""),
  plantIn("backend/upstream/relay-turn.ts", SAID_TEST)(
    "what was said before a failure",
    "      await outbox.flush(stop);\n    }\n",
    "    }\n    await outbox.flush(stop);\n",
  ),
  plantIn("backend/believable.ts", SAID_TEST)("parts that a speaker tells", "clampParts(event.tokens)", "event.tokens"),
  plantIn("backend/upstream/service-usage.ts", SAID_TEST)(
    "parts of a service's sum",
    "return clampParts({ input_tokens, output_tokens, total_tokens, reasoning_tokens, cached_tokens });",
    "return { input_tokens, output_tokens, total_tokens, reasoning_tokens, cached_tokens };",
  ),
  plantIn("backend/langgraph/message-reader.ts", SAID_TEST)(
    "parts of a graph's counts",
    "usage ? clampParts(usage)",
    "usage ? usage",
  ),
  event("the first end counts", "if (end !== undefined) {", "if (false) {"),
  event("late events are told", '        notice("an upstream event after the end was dropped");\n', ""),
  event("a sentinel is no event", "if (text === SSE_DONE) return;", ""),
  event("an unknown type is ignored", "if (!isUnknownType(error)) throw", "if (error) throw"),
  event("what breaks its schema is a failure", "if (!isUnknownType(error)) throw", "if (false) throw"),
  event("a value without a type is no event", ' && error.issue.rule === "one_of"', ""),
  event(
    "only events are signs of life",
    "      if (said === undefined) return;\n      heard += 1;",
    "      heard += 1;\n      if (said === undefined) return;",
  ),
  event("an error ends the run", 'if (event.type === "error") throw failureOfEvent(event);', ""),
  event("more to come is a pause", 'has_more ? { kind: "paused", limit: "state_limit" } : ', ""),
  event(
    "an end with an error is a failure",
    'throw upstreamFailed("ended with an error");',
    'return { kind: "completed" };',
  ),
  event(
    "a cancelled service is a cancellation",
    'throw new FramerailError("CANCELLED", "the upstream agent was cancelled");',
    'return { kind: "completed" };',
  ),
  failure("a rate limit keeps its meaning", 'error_code === "RATE_LIMIT_ERROR"', "false"),
  failure("a sub-agent keeps its name", "return Object.assign(error, { sub_agent_id });", "return error;"),
  failure("no prose as a sub-agent's name", " && isPublicName(sub_agent_id)", ""),
  failure(
    "the service's words are only the cause",
    'return upstreamFailed("ended with an error", message);',
    "return upstreamFailed(message);",
  ),
  plantIn("backend/upstream/upstream-failure.ts", TURN_TEST)("only 200 is an answer", "status === 200", "status < 300"),
  plantIn("backend/upstream/upstream-failure.ts", TURN_TEST)("status 429 is a rate limit", "status === 429", "false"),
  turn("a cancelled turn sends nothing", "  signal.throwIfAborted();\n  // Ends", "  // Ends"),
  turn("a service with a long window is heard of", "clock, idleTimeoutMs, () => writer", "clock, 0, () => writer"),
  turn("every way out stops the telling", "    stopTelling();\n", ""),
  plantIn("backend/upstream/relay-turn.ts", "backend/upstream/author-body.test.ts")(
    "a body may be a promise",
    "await untilAborted(askBody(exchange, input, context.principal), stop.signal)",
    "exchange.body(input, context.principal)",
  ),
  turn("a cancel is heard", '  signal.addEventListener("abort", cancel, { once: true });\n', ""),
  turn("the turn's signal keeps no listener", '    signal.removeEventListener("abort", cancel);\n', ""),
  turn("every way out closes the request", "    request.abort();\n", ""),
  turn("every way out stops the timer", "    idle.stop();\n    stopTelling", "    stopTelling"),
  turn("silence before the answer counts", "    idle.start();\n    const body", "    const body"),
  turn("silence while the writer holds back does not count", "      if (relay.heard > heardBefore) idle.stop();\n", ""),
  turn(
    "an event starts the window again",
    "    await untilAborted(outbox.writer.ready(), stop);\n    idle.start();",
    "    await untilAborted(outbox.writer.ready(), stop);",
  ),
  turn("bytes without an event are no sign of life", "if (relay.heard === heardBefore) continue;", ""),
  turn("the writer sets the pace", "    await untilAborted(outbox.writer.ready(), stop);\n", ""),
  turn(
    "a cancel ends the wait for the writer",
    "await untilAborted(outbox.writer.ready(), stop);",
    "await outbox.writer.ready();",
  ),
  turn("a cancel ends the wait for the service", "return await untilAborted(promise, stop);", "return await promise;"),
  turn("a stop keeps its reason", "    stop.throwIfAborted();\n", ""),
  turn(
    "an answer without an end is a failure",
    'if (done) throw upstreamFailed("broke off without an end");',
    'if (done) return { kind: "completed" };',
  ),
  turn(
    "the run ends with the terminal",
    "if (relay.end !== undefined) return relay.end;",
    "if (done && relay.end !== undefined) return relay.end;",
  ),
  turn(
    "an event over the maximum is the service's fault",
    "isTooLarge ? upstreamFailed(",
    "!isTooLarge ? upstreamFailed(",
  ),
  plantIn("backend/upstream/relay-turn.ts", AGENT_TEST)(
    "an answer without a body",
    "if (response.body === null) throw",
    "if (response.body === null) return { kind: 'completed' };\n  if (false) throw",
  ),
  http(
    "an abort destroys the socket",
    "{ method, headers, signal, agent: false }",
    "{ method, headers, agent: false }",
  ),
  http(
    "a connection that is closed without an answer",
    '    sent.on("close", () => reject(new Error("the connection was closed without an answer")));\n',
    "",
  ),
  http("a connection serves one turn", ", agent: false", ""),
  plantIn("backend/upstream/relay-turn.ts", AGENT_TEST)(
    "a redirect is not followed",
    'redirect: "manual"',
    'redirect: "follow" as "manual"',
  ),
  plantIn("backend/upstream/relay-turn.ts", AGENT_TEST)(
    "no header changes the protocol",
    '{ ...exchange.headers, accept: ACCEPT[exchange.format], "content-type": "application/json" }',
    '{ accept: ACCEPT[exchange.format], "content-type": "application/json", ...exchange.headers }',
  ),
  plantIn("backend/upstream/relay-turn.ts", AGENT_TEST)(
    "the last line without its end",
    "if (bytes === undefined) decoder.end();\n    else",
    "if (bytes !== undefined)",
  ),
  body("NDJSON by its type", '  "application/x-ndjson": "ndjson",\n', ""),
  body("a content type has parameters", '.split(";", 1)[0]', ""),
  body("the operator's format counts", 'format === "auto" ? formatOf(contentType) : format', "formatOf(contentType)"),
  agent("a whole URL", "if (!URL.canParse(options.url)) throw", "if (false) throw"),
  agent("the protocol of a URL", 'protocol !== "http:" && protocol !== "https:"', "false"),
  agent("no credentials in a URL", 'username !== "" || password !== ""', "false"),
  agent("the name of a header", "      validateHeaderName(name);\n", ""),
  agent("the value of a header", "      validateHeaderValue(name, value);\n", ""),
  agent("headers by one spelling", "own[name.toLowerCase()] = value;", "own[name] = value;"),
  agent("the formats", "!UPSTREAM_FORMATS.includes(format)", "false"),
  agent("a window of no time", "idleTimeoutMs < 1", "idleTimeoutMs < 0"),
  agent("the longest silence", "idleTimeoutMs > UPSTREAM_IDLE_MS_MAX", "idleTimeoutMs > UPSTREAM_IDLE_MS_MAX + 1"),
  agent("a window of whole milliseconds", "!Number.isSafeInteger(idleTimeoutMs) || ", ""),
];

const LANGGRAPH: readonly Plant[] = [
  graph("a graph has a stream", 'if (typeof graph?.stream !== "function")', "if (false)"),
  graph("a checkpointer has the history", "checkpointer ? [] : ", ""),
  input("a cancelled turn asks for no input", "      context.signal.throwIfAborted();\n", ""),
  input("a cancel ends the wait for the input", "await untilAborted(ask(), context.signal);", "await ask();"),
  graph(
    "writer() works in a node",
    "runWithWriter(writer, () => graph.stream(run.graphInput, options))",
    "graph.stream(run.graphInput, options)",
  ),
  graph("writer() works in a graph that is pulled", "runWithWriter(writer, () => items.next())", "items.next()"),
  graph(
    "a cancel ends the wait for the graph",
    "      const { done, value } = await untilAborted(\n        runWithWriter(writer, () => items.next()),\n        signal,\n      );",
    "      const { done, value } = await runWithWriter(writer, () => items.next());",
  ),
  graph(
    "every way out stops the graph",
    '    left.abort(signal.reason ?? new FramerailError("CANCELLED", "the turn has ended"));\n',
    "",
  ),
  graph("the writer sets the pace of a graph", "      await untilAborted(writer.ready(), signal);\n", ""),
  graph("all steps taken is a pause", "if (!isStepLimit(error)) throw", "if (error) throw"),
  graph("an interrupt is a pause", "else if (path.length === 0) isPaused = true;", ""),
  graph(
    "turns are kept apart by their conversation",
    "configurable: { thread_id: run.threadId }",
    'configurable: { thread_id: "one" }',
  ),
  graph("nested graphs are heard", "subgraphs: true as const,", "subgraphs: false as unknown as true,"),
  graph(
    "what is ignored is told",
    'if (event === undefined) notice("a custom event of a node was ignored");',
    "if (event === undefined) return;",
  ),
  graph(
    "the key of a status",
    "readCustomEvent(item.value, run.statusKey, clock.now())",
    'readCustomEvent(item.value, "event_type", clock.now())',
  ),
  custom(
    "a node neither opens nor ends a turn",
    "RUNTIME_ONLY.has(event.type) ? undefined : believable(event)",
    "event",
  ),
  custom("a node's error ends no turn", '"end_stream", "error"]', '"end_stream"]'),
  custom(
    "a status is checked",
    "return checkEvent(event) === undefined ? (event as AgentEvent) : undefined;",
    "return event as AgentEvent;",
  ),
  custom("a custom event that is none", "if (isFramerailError(error)) return undefined;", ""),
  thrown("an error of ours keeps its meaning", "if (isFramerailError(error)) return error;", ""),
  thrown("a model's rate limit", "error.status === 429 || ", ""),
  thrown("LangChain's code of a rate limit", ' || error.lc_error_code === "MODEL_RATE_LIMIT"', ""),
  thrown("a running tool is taken to have failed", "runningTools > 0", "false"),
  reader(
    "a message is whole when its node ends",
    "for (const message of named) this.#finish(message, given.get(message.id));",
    "void named;",
  ),
  reader(
    "of several tasks the named one is whole",
    "tasks.size > 1 ? ended.filter(({ id }) => given.has(id)) : ended",
    "ended",
  ),
  reader("a node in another graph", "task.startsWith(start)", "task.includes(start)"),
  reader("a node whose name starts alike", ':`].join("|")', '`].join("|")'),
  reader(
    "a task that begins another message",
    "for (const call of former?.calls.wholeCalls() ?? []) this.#tellCall(call, former);",
    "",
  ),
  reader("the oldest message of a busy task", "if (oldest !== undefined && ", "if (false && "),
  message(
    "messages side by side",
    "  #leaveFormer(task: string): void {\n",
    "  #leaveFormer(task: string): void {\n    for (const former of this.#growing.values()) if (former.task === task) this.#finish(former);\n",
  ),
  message("counts that were not streamed", "message.usage = readUsage(whole) ?? message.usage;", ""),
  message("calls that were not streamed", "message.calls.add({ tool_calls: whole.tool_calls });", ""),
  message("a copy is shown once", "if (this.#isCopy(message, metadata)) return;", ""),
  reader(
    "a tool that answers ends its message",
    "for (const asking of this.#growing.values()) if (asking.calls.has(id)) this.#finish(asking);",
    "",
  ),
  reader("a call is told once", "if (by !== undefined && this.#told.isTold(call, by)) return;", ""),
  told("a model's call is no copy of an answered one", "(!by.isModelCall && told", "(told"),
  told("a copy has the same arguments", " && told.digest === digestOf(call))", ")"),
  told("a message that comes again", "isSameMessage || ", ""),
  told("a call that a node has told is its message's", "if (told.messageId === undefined) Object", "if (false) Object"),
  plantIn("backend/langgraph/from-lang-graph.ts", "backend/langgraph/told-calls.test.ts")(
    "a node's own calls are heard",
    "          messages.hear(event);\n",
    "",
  ),
  reader("the calls of a turn", "this.#told.count >= CALLS_PER_TURN_MAX", "this.#told.count > CALLS_PER_TURN_MAX"),
  reader(
    "the messages that stream together",
    "    if (this.#growing.size >= OPEN_MESSAGES_MAX) {",
    "    if (this.#growing.size > OPEN_MESSAGES_MAX) {",
  ),
  reader("a call that no event can hold", "if (checkEvent(event) !== undefined) {", "if (false) {"),
  reader(
    "a model's name that no event can hold",
    "isNamed ? metrics : { ...metrics, model: this.#options.agentId }",
    "metrics",
  ),
  plantIn("backend/langgraph/told-calls.ts", READER_TEST)(
    "no negative duration",
    "Math.max(0, this.#clock.now() - told.at)",
    "this.#clock.now() - told.at",
  ),
  reader("an error result says so", 'message.status === "error"', "false"),
  calls("guesses do not count beside pieces", "if (pieces.length > 0) return;", ""),
  calls("a whole call counts once", " && !has(id)) grow(", ") grow("),
  calls("a whole call without an id", 'typeof id === "string" && ', ""),
  calls("a call whose arguments are yet to come", "growing.filter(isWhole)", "growing"),
  calls(
    "the length of arguments",
    "argumentsLength > ARGUMENTS_LENGTH_MAX",
    "argumentsLength > ARGUMENTS_LENGTH_MAX + 1",
  ),
  calls("the calls of a message", "growing.length >= CALLS_PER_TURN_MAX", "growing.length > CALLS_PER_TURN_MAX"),
  calls("a call without a name", '.filter(({ id, name }) => id !== "" && name !== "")', ""),
  calls("a piece with neither index nor id", "key === undefined ? growing.at(-1) : ", ""),
  calls("calls of one index", " || found.id === id)", " || true)"),
  plantIn("backend/langgraph/call-pieces.ts", MESSAGES_TEST)("calls side by side", "piece.index ?? id", "undefined"),
  json("half a character in arguments", "checkJson(value) === undefined ? value : undefined", "value"),
  json("arguments that are no JSON", "(readText(text) ?? wellFormed(text))", "(readText(text) ?? null)"),
  json("no arguments at all", 'text.trim() === "" ? {} : ', ""),
  json(
    "a result that JSON cannot carry",
    "    // Cyclic, or nothing that JSON has a word for.\n    return null;",
    "    return '';",
  ),
  json(
    "half a character in a result",
    'if (typeof value === "string") return wellFormed(value);',
    'if (typeof value === "string") return value;',
  ),
  plantIn("backend/langgraph/told-calls.ts", MESSAGES_TEST)("an answer comes once", "    told.answered = true;\n", ""),
  message(
    "a call of an earlier turn",
    'this.#tellCall({ id, name: textField(message, "name") || "tool", arguments: null });',
    "",
  ),
  reader("a tool message without a call", 'if (id === undefined || id === "") {', "if (id === undefined) {"),
  message("other roles stay inside", 'else if (message.type === "ai") this', "else this"),
  message("a message by hand costs nothing", "if (usage === undefined && !isModelCall) return;", ""),
  message("an estimate says so", "...(usage === undefined && { estimated: true })", ""),
  message(
    "the model's own name",
    'textField(message.response_metadata, "model_name") ?? growing.model',
    "growing.model",
  ),
  content("thinking blocks", 'add("reasoning", textField(block, "thinking"));', ""),
  content("reasoning blocks", 'add("reasoning", textField(block, "reasoning"));', ""),
  content(
    "a summary of reasoning",
    'for (const piece of objectsIn(block.summary)) add("reasoning", textField(piece, "text"));',
    "",
  ),
  content(
    "reasoning beside the content",
    'add("reasoning", textField(message.additional_kwargs, "reasoning_content"));',
    "void 0;",
  ),
  text("half a character waits for the other", "endsInHalf(text) ? text.length - 1 : text.length", "text.length"),
  text("half a character at the end", '      writeParts("text", held.text);\n', ""),
  usage("usage is the sum of its parts", "a && b ? addUsage(a, b) : (a ?? b)", "b ?? a"),
  plantIn("backend/langgraph/model-usage.ts", READER_TEST)(
    "the total is our own sum",
    "total_tokens: input_tokens + output_tokens,",
    "total_tokens: tokens(told.total_tokens),",
  ),
  usage("cached tokens", "tokens(told.input_token_details.cache_read)", "0"),
  plantIn("backend/langgraph/model-usage.ts", READER_TEST)(
    "a count that is none",
    "Number.isSafeInteger(value) && (value as number) > 0",
    "typeof value === 'number'",
  ),
];

export const BACKEND_PLANTS: readonly Plant[] = [...UPSTREAM, ...LANGGRAPH];
