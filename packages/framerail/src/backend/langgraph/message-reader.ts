// Messages of a graph → events: pieces of an AI message become text and reasoning as they come; its tool calls and its
// usage are told when it is whole; a tool message ends its call.
// Owns: which messages are still growing. Does not own: which calls are new (told-calls.ts), pairs (tool-pairing.ts).
//   M1. A message is whole when its node has ended, when a tool answers one of its calls, or when the run ends. So a call
//       is told before its tool runs. A task that begins another message may still be at the former: models can be called
//       side by side. Then only those calls of the former are told whose arguments are whole.
//   M2. A call is told once, however many copies of its message a graph returns, and whatever a node tells of it itself
//       (told-calls.ts).
//   M3. Each model call leaves one `metrics`, also when it is cut off; then it is marked as estimated [G9].
//   M4. A node that puts the answer of its model into a message of its own gives a copy: the same text and calls, under
//       another id. It is neither shown nor counted a second time.
//   M5. Messages of other roles are the graph's own affair, and never shown.

import type { AgentEvent, Clock, Usage } from "@framerail/protocol";
import { checkEvent, FramerailError } from "@framerail/protocol";
import { clampParts } from "../../agent/model/count-tokens.js";
import { CALLS_PER_TURN_MAX, OPEN_MESSAGES_MAX } from "../limits.js";
import type { Notice } from "../notices.js";
import type { CallPieces, GraphCall } from "./call-pieces.js";
import { createCallPieces } from "./call-pieces.js";
import type { Fields } from "./graph.js";
import { isFields, objectsIn, textField } from "./graph.js";
import { contentParts } from "./message-content.js";
import { estimateUsage, readUsage, sumUsage } from "./model-usage.js";
import { toJson } from "./plain-json.js";
import type { TextPieces } from "./text-pieces.js";
import { createTextPieces } from "./text-pieces.js";
import { ToldCalls } from "./told-calls.js";

export interface MessageReaderOptions {
  readonly agentId: string;
  readonly clock: Clock;
  write(event: AgentEvent): void;
  readonly notice: Notice;
}

interface Growing {
  readonly id: string;
  /** The task that writes it: `node:task`, below the tasks of the graphs around it. */
  readonly task: string;
  readonly isModelCall: boolean;
  readonly text: TextPieces;
  readonly calls: CallPieces;
  model: string;
  usage: Usage | undefined;
}

export class MessageReader {
  readonly #options: MessageReaderOptions;
  readonly #growing = new Map<string, Growing>();
  readonly #told: ToldCalls;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
    this.#told = new ToldCalls(options.clock);
  }

  take(message: Fields, metadata: Fields): void {
    if (message.type === "tool") this.#takeToolMessage(message);
    else if (message.type === "ai") this.#takeAiMessage(message, metadata);
  }

  /** An event that a node has written itself. */
  hear(event: AgentEvent): void {
    this.#told.hear(event);
  }

  /** A node of the graph at `path` has ended; `update` is what it gave to the state. */
  endNode(path: readonly string[], node: string, update: unknown): void {
    const start = [...path, `${node}:`].join("|");
    const ended = [...this.#growing.values()].filter(({ task }) => task.startsWith(start));
    const tasks = new Set(ended.map(({ task }) => task.split("|")[path.length]));
    const given = messagesIn(update);
    // Several tasks of one node may run side by side; then only those messages are whole that the update names.
    const named = tasks.size > 1 ? ended.filter(({ id }) => given.has(id)) : ended;
    for (const message of named) this.#finish(message, given.get(message.id));
  }

  /** The run has ended. After a failure or a cancel no tool will run any more, so only the cost is told. */
  end({ failed }: { readonly failed: boolean }): void {
    for (const message of this.#growing.values()) {
      if (failed) this.#account(message);
      else this.#finish(message);
    }
    this.#growing.clear();
  }

  #takeAiMessage(message: Fields, metadata: Fields): void {
    if (this.#isCopy(message, metadata)) return;
    const growing = this.#grow(message, metadata);
    for (const part of contentParts(message)) growing.text.add(part);
    growing.calls.add(message);
    growing.usage = sumUsage(growing.usage, readUsage(message));
    if (isFields(message.response_metadata))
      growing.model = textField(message.response_metadata, "model_name") ?? growing.model;
    if (!isPiece(message)) this.#finish(growing);
  }

  // M4
  #isCopy(message: Fields, metadata: Fields): boolean {
    if (isPiece(message) || isModelCall(metadata)) return false;
    const text = textOf(message);
    const calls = objectsIn(message.tool_calls);
    if (text === "" && calls.length === 0) return false;
    return [...this.#growing.values()].some(
      (former) =>
        former.task === taskOf(metadata) && former.text.said === text && calls.every(({ id }) => former.calls.has(id)),
    );
  }

  #grow(message: Fields, metadata: Fields): Growing {
    const id = textField(message, "id") ?? "";
    const task = taskOf(metadata);
    const found = this.#growing.get(id);
    if (found !== undefined) return found;
    this.#leaveFormer(task);
    if (this.#growing.size >= OPEN_MESSAGES_MAX) {
      throw new FramerailError("MODEL_FAILED", `more than ${OPEN_MESSAGES_MAX} messages stream at the same time`);
    }
    const model = textField(metadata, "ls_model_name") ?? this.#options.agentId;
    const text = createTextPieces(this.#options.write);
    const calls = createCallPieces();
    const growing = { id, task, isModelCall: isModelCall(metadata), text, calls, model, usage: undefined };
    this.#growing.set(id, growing);
    return growing;
  }

  // M1
  #leaveFormer(task: string): void {
    const formers = [...this.#growing.values()].filter((message) => message.task === task);
    const former = formers.at(-1);
    for (const call of former?.calls.wholeCalls() ?? []) this.#tellCall(call, former);
    const [oldest] = formers;
    if (oldest !== undefined && this.#growing.size >= OPEN_MESSAGES_MAX) this.#finish(oldest);
  }

  /** `whole`: the message as its node gave it to the state. It tells also what its provider did not stream. */
  #finish(message: Growing, whole?: Fields): void {
    this.#growing.delete(message.id);
    message.text.end();
    if (whole !== undefined) {
      message.usage = readUsage(whole) ?? message.usage;
      message.calls.add({ tool_calls: whole.tool_calls });
    }
    this.#account(message);
    for (const call of message.calls.calls()) this.#tellCall(call, message);
  }

  #account({ isModelCall, usage, model, text, calls }: Growing): void {
    if (usage === undefined && !isModelCall) return;
    // The sum, for the parts of one call may tell a part before its whole [C-14].
    const tokens = usage ? clampParts(usage) : estimateUsage(text.length + calls.argumentsLength);
    const metrics = { type: "metrics", model, tokens, ...(usage === undefined && { estimated: true }) } as const;
    // A provider's name for its model need not be a name that an event may hold.
    const isNamed = checkEvent(metrics) === undefined;
    this.#options.write(isNamed ? metrics : { ...metrics, model: this.#options.agentId });
  }

  #tellCall(call: GraphCall, by?: Growing): void {
    if (by !== undefined && this.#told.isTold(call, by)) return;
    const { id, name, arguments: args } = call;
    if (this.#told.count >= CALLS_PER_TURN_MAX) {
      throw new FramerailError("MODEL_FAILED", `more than ${CALLS_PER_TURN_MAX} tool calls in one turn`);
    }
    const timestamp = this.#options.clock.now();
    const event = { type: "tool_call", tool_call_id: id, tool_name: name, arguments: args, timestamp } as const;
    if (checkEvent(event) !== undefined) {
      this.#options.notice("a tool call without a usable id or name was ignored");
      return;
    }
    this.#told.add(call, by);
    this.#options.write(event);
  }

  #takeToolMessage(message: Fields): void {
    const id = textField(message, "tool_call_id");
    if (id === undefined || id === "") {
      this.#options.notice("a tool message without a call was ignored");
      return;
    }
    for (const asking of this.#growing.values()) if (asking.calls.has(id)) this.#finish(asking);
    // A graph that goes on after a pause answers a call of an earlier turn; this turn has not seen it yet.
    if (!this.#told.has(id)) this.#tellCall({ id, name: textField(message, "name") || "tool", arguments: null });
    const duration_ms = this.#told.answer(id);
    if (duration_ms === undefined) return;
    const result = toJson(message.content);
    const is_error = message.status === "error";
    this.#options.write({ type: "tool_result", tool_call_id: id, result, is_error, duration_ms });
  }
}

/** Only a piece has this list; anything else came whole. */
function isPiece(message: Fields): boolean {
  return Array.isArray(message.tool_call_chunks);
}

function isModelCall(metadata: Fields): boolean {
  return metadata.ls_model_type !== undefined;
}

function taskOf(metadata: Fields): string {
  return textField(metadata, "langgraph_checkpoint_ns") ?? "";
}

function textOf(message: Fields): string {
  return contentParts(message)
    .map(({ type, content }) => (type === "text" ? content : ""))
    .join("");
}

/** The messages in what a node gave to the state, by their ids. */
function messagesIn(update: unknown): Map<unknown, Fields> {
  const values = isFields(update) ? Object.values(update) : [update];
  const messages = values.flatMap((value) => (isFields(value) ? [value] : objectsIn(value)));
  return new Map(messages.map((message) => [message.id, message]));
}
