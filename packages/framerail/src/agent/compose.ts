// The pass over an answer's text before it is emitted: voice, safety, format [W-FR-6, D-15]. It sees text in the pieces
// the model writes and may hold some back, to decide about a word when it is whole; what it has let out is never edited.

import type { AgentEvent } from "@framerail/protocol";
import { splitText } from "@framerail/protocol";
import { requireValue } from "./author-hooks.js";
import { endsInHalf } from "./ends-in-half.js";
import type { Writer } from "./writer.js";
import { createWriter, sinkOf } from "./writer.js";

/** One per turn. */
export interface Composer {
  /** The next piece in; what may be emitted now out, or "". */
  push(piece: string): string;
  /** What is left, when the answer ends or something else must come first. */
  flush(): string;
}

export interface ComposingWriter {
  readonly writer: Writer;
  /** Lets out what the composer still holds; called when the run ends. */
  finish(): void;
}

/** A writer of the same turn whose text goes through the composer. Events that must keep their place let it flush first. */
export function composeText(own: Writer, composer: Composer): ComposingWriter {
  const sink = sinkOf(own);
  // A composer that counts characters may cut one in half.
  let half = "";
  const join = (given: string) => (half === "" ? given : half + given);
  const write = (text: string, emitter: string) => {
    const [content] = splitText(text, Number.MAX_SAFE_INTEGER);
    if (content !== "") sink.accept({ type: "text", content }, emitter);
  };
  const push = (piece: string, emitter: string) => {
    const text = join(requireValue(composer.push(piece), "push of compose"));
    const cut = endsInHalf(text) ? text.length - 1 : text.length;
    half = text.slice(cut);
    write(text.slice(0, cut), emitter);
  };
  const flush = (emitter: string) => {
    const text = join(requireValue(composer.flush(), "flush of compose"));
    half = "";
    write(text, emitter);
  };
  const accept = (event: AgentEvent, emitter: string) => {
    if (event.type === "text") push(event.content, emitter);
    else {
      if (event.type === "tool_call" || event.type === "data_loaded" || event.type === "component") flush(emitter);
      sink.accept(event, emitter);
    }
  };
  return {
    writer: createWriter({ accept, ready: () => sink.ready() }, own.emitter),
    finish: () => flush(own.emitter),
  };
}
