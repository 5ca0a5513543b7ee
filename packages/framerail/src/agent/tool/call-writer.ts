// The writer of one tool call: the turn's, for as long as the call lasts.
//   C1. Once the call is over or its turn cancelled, what the tool still writes is dropped and reported: a tool that was
//       given up cannot speak into the rest of the turn [W-CAN-3].
//   C2. Accounting is always heard: a model call that a tool made is paid for, late or not [G9].

import type { EventType } from "@framerail/protocol";
import type { Writer } from "../writer.js";
import { createWriter, sinkOf } from "../writer.js";

const ACCOUNTING: ReadonlySet<EventType> = new Set<EventType>(["metrics", "log"]);

export interface CallWriter {
  readonly writer: Writer;
  close(): void;
}

export function createCallWriter(own: Writer, onLate: (type: EventType) => void): CallWriter {
  const sink = sinkOf(own);
  let open = true;
  const gate = {
    accept: (...[event, emitter]: Parameters<typeof sink.accept>) => {
      if (open || ACCOUNTING.has(event.type)) sink.accept(event, emitter);
      else onLate(event.type);
    },
    ready: () => sink.ready(),
  };
  return {
    writer: createWriter(gate, own.emitter),
    close: () => {
      open = false;
    },
  };
}
