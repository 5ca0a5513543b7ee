// The far end of a writer, for tests: keeps the events of a turn, checked as the runtime checks them, and can hold the
// writer back.

import type { AgentEvent, EventOf } from "@framerail/protocol";
import { checkEvent } from "@framerail/protocol";
import { createWriter, type Writer } from "../../writer.js";

export interface TurnSink {
  readonly writer: Writer;
  readonly events: AgentEvent[];
  /** How often `ready()` was asked. */
  readonly looks: number;
  /** Makes `ready()` wait until `release`. */
  hold(): void;
  release(): void;
  contents(type: "text" | "reasoning"): string[];
  metrics(): EventOf<"metrics">[];
}

export function createTurnSink(): TurnSink {
  const events: AgentEvent[] = [];
  let ready: Promise<void> = Promise.resolve();
  let release = () => {};
  let looks = 0;
  const writer = createWriter(
    {
      accept(event) {
        const issue = checkEvent(event);
        if (issue !== undefined) throw new Error(`the runtime would refuse this event: ${issue.message}`);
        events.push(event);
      },
      ready() {
        looks += 1;
        return ready;
      },
    },
    "assistant",
  );
  return {
    writer,
    events,
    get looks() {
      return looks;
    },
    hold() {
      ready = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
    contents: (type) => events.flatMap((event) => (event.type === type ? [(event as EventOf<"text">).content] : [])),
    metrics: () => events.filter((event): event is EventOf<"metrics"> => event.type === "metrics"),
  };
}
