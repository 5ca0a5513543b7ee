// A turn's surroundings for an agent under test: the real writer, with its events kept, and a signal to abort.

import type { AgentEvent } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { RunContext, TurnInput } from "../../agent/agent.js";
import { createWriter } from "../../agent/writer.js";

export interface KeptContext extends RunContext {
  readonly events: AgentEvent[];
  types(): string[];
  text(): string;
  cancel(): void;
  /** How often the agent asked whether it may go on. */
  readonly asked: number;
  /** While set, the writer holds its author back. */
  hold: Promise<void> | undefined;
}

export const TURN: TurnInput = {
  turn_id: "turn_1",
  conversation_id: "conv_1",
  message: "Find me an offer",
  history: [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello to you" },
  ],
};

export function keepContext(emitter = "shop"): KeptContext {
  const events: AgentEvent[] = [];
  const controller = new AbortController();
  let asked = 0;
  const context: KeptContext = {
    events,
    hold: undefined,
    writer: createWriter(
      {
        accept: (event) => void events.push(event),
        ready() {
          asked += 1;
          return context.hold ?? Promise.resolve();
        },
      },
      emitter,
    ),
    signal: controller.signal,
    principal: { tenant_id: "tenant_1", user_id: "user_1" },
    types: () => events.map(({ type }) => type),
    text: () => events.map((event) => (event.type === "text" ? event.content : "")).join(""),
    cancel: () => controller.abort(new FramerailError("CANCELLED", "the turn was cancelled")),
    get asked() {
      return asked;
    },
  };
  return context;
}
