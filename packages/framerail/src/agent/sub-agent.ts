// A sub-agent: a model with tools of its own that the orchestrating model calls like a tool [W-GOAL-3].
// Owns: the definition, and the writer that keeps its words from the user. Does not own: running it (loop.ts).
//   A1. Its text is its answer to the orchestrator, never to the user [W-GOAL-4]; its reasoning stays inside.
//   A2. It has a cancellation handler, or it cannot be defined [W-CAN-5].

import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { AgentEvent, EventType } from "@framerail/protocol";
import { checkEvent, FramerailError } from "@framerail/protocol";
import type { StatusId } from "./status-id.js";
import type { Tool } from "./tool/define-tool.js";
import type { Writer } from "./writer.js";
import { createWriter, sinkOf } from "./writer.js";

export interface SubAgentOptions {
  readonly id: string;
  /** What it can do, for the model that chooses. */
  readonly description?: string;
  readonly instructions?: string;
  /** Default: the orchestrator's. */
  readonly model?: LanguageModelV3;
  readonly emits?: readonly StatusId[];
  readonly tools?: readonly Tool[];
  /** Called once when a turn is cancelled while it runs, however many calls of it run: release what it holds. */
  readonly onCancel: () => void | Promise<void>;
}

export interface SubAgent
  extends Required<Pick<SubAgentOptions, "id" | "description" | "emits" | "tools" | "onCancel">> {
  readonly instructions: string | undefined;
  readonly model: LanguageModelV3 | undefined;
}

/** An id is a tool's name to the model and an emitter's to the registry. */
const ID = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

export function defineSubAgent(options: SubAgentOptions): SubAgent {
  const { id, onCancel, tools = [] } = options;
  if (typeof id !== "string" || !ID.test(id)) {
    throw new FramerailError(
      "INVALID_AGENT",
      "a sub-agent's id must be 1 to 64 letters, digits, - or _, a letter first",
    );
  }
  if (typeof onCancel !== "function") {
    throw new FramerailError(
      "INVALID_AGENT",
      `sub-agent ${id} needs onCancel: what it holds must be released when a turn is cancelled`,
    );
  }
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new FramerailError("INVALID_AGENT", `sub-agent ${id} has two tools called ${twice}`);
  }
  return {
    id,
    onCancel,
    description: options.description ?? id,
    instructions: options.instructions,
    model: options.model,
    emits: options.emits ?? [],
    tools,
  };
}

export interface CapturingWriter {
  readonly writer: Writer;
  /** What the sub-agent has said so far. */
  text(): string;
}

/** What stays inside (A1). */
const KEPT: ReadonlySet<EventType> = new Set<EventType>(["text", "reasoning", "thinking"]);

/** A writer of the same turn, under the sub-agent's name, that keeps its words (A1). */
export function captureText(parent: Writer, subAgentId: string): CapturingWriter {
  const sink = sinkOf(parent);
  let said = "";
  const writer = createWriter(
    {
      accept(event, emitter) {
        if (!KEPT.has(event.type)) sink.accept(event, emitter);
        else {
          requireEvent(event);
          if (event.type === "text") said += event.content;
        }
      },
      ready: () => sink.ready(),
    },
    subAgentId,
  );
  return { writer, text: () => said };
}

// What goes on is judged where the turn is published; what stays here gets no further.
function requireEvent(event: AgentEvent): void {
  const issue = checkEvent(event);
  if (issue) throw new FramerailError("INVALID_EVENT", `an event cannot be written: ${issue.message}`, { issue });
}
