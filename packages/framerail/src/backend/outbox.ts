// Events of agents we did not write, on their way to the writer. What was read at once may be more than the log takes at
// once: a whole message of a graph, one long event of a service.
// Owns: the pace of what waits. Does not own: reading further, which waits until this is empty, so that it never holds more
// than was read at once.
//   O1. Long text is written in pieces, and after PACE_LENGTH_MAX of them `ready()` is awaited [D-6].
//   O2. What is left when the turn ends is dropped, but for accounting: it was paid for [G9].

import type { AgentEvent } from "@framerail/protocol";
import { splitText } from "@framerail/protocol";
import { PACE_LENGTH_MAX, PACE_PIECE_LENGTH } from "../agent/model/limits.js";
import { untilAborted } from "../agent/model/until-aborted.js";
import type { Writer } from "../agent/writer.js";
import { createWriter } from "../agent/writer.js";

const ACCOUNTING: ReadonlySet<string> = new Set(["metrics", "log"]);

export interface Outbox {
  /** A writer of the same turn whose events wait for `flush`. */
  readonly writer: Writer;
  /** Writes what waits. Rejects with the signal's reason as soon as it is aborted. */
  flush(signal: AbortSignal): Promise<void>;
  /** Called once, on every way out (O2). */
  close(): void;
}

export function createOutbox(own: Writer): Outbox {
  let waiting: AgentEvent[] = [];
  let written = 0;

  // By their place: to shift a long list moves all of it, each time.
  function* taken(): Generator<AgentEvent> {
    while (written < waiting.length) {
      const event = waiting[written] as AgentEvent;
      written += 1;
      yield event;
    }
    waiting = [];
    written = 0;
  }

  return {
    writer: createWriter({ accept: (event) => void waiting.push(event), ready: () => own.ready() }, own.emitter),
    async flush(signal) {
      let unpaced = 0;
      for (const event of taken()) {
        for (const piece of piecesOf(event)) {
          own.write(piece);
          unpaced += PACE_PIECE_LENGTH + lengthOf(piece);
          if (unpaced < PACE_LENGTH_MAX) continue;
          unpaced = 0;
          await untilAborted(own.ready(), signal);
        }
      }
    },
    close() {
      const left = waiting.slice(written);
      waiting = [];
      for (const event of left) if (ACCOUNTING.has(event.type)) own.write(event);
    },
  };
}

function lengthOf(event: AgentEvent): number {
  return event.type === "text" || event.type === "reasoning" ? event.content.length : 0;
}

function piecesOf(event: AgentEvent): readonly AgentEvent[] {
  if (event.type !== "text" && event.type !== "reasoning") return [event];
  if (event.content.length <= PACE_LENGTH_MAX) return [event];
  return splitText(event.content).map((content) => ({ type: event.type, content }));
}
