// The message of a turn, made at its end: from the frames that the answer's text went out in, and from what was kept beside
// them. Of a long turn most frames are in the store by then, so what a turn keeps in memory does not grow with its answer.
// Owns: what is kept beside the frames, and the order of both. Does not own: reading text (log/frame-text.ts), where frames are
// (unstored-frames.ts), what becomes an item (the accumulator).
//   E1. What is read is what the agent wrote: a text that policy shows is one frame, or as many as it was cut into, and
//       goes out unchanged. Where policy keeps text inside, no frame is read, and text is kept as everything else is [C-42].
//   E2. Items stand in the order in which their events came [P-33]: what is kept says after which frame it came.
//   E3. What is kept is a copy, and right: what its writer does to it afterwards is no part of what happened, and what cannot
//       be added is refused when it comes, not when the turn has to end.

import type { AgentEvent, MessageAccumulator } from "@framerail/protocol";
import { checkEvent, FramerailError } from "@framerail/protocol";
import { FrameText } from "../log/frame-text.js";
import type { FrameRow } from "../log/segment.js";

interface Kept {
  readonly event: AgentEvent;
  /** The last frame before it. */
  readonly afterSeq: number;
  readonly at: number;
}

export class TurnMessage {
  readonly #message: MessageAccumulator;
  /** Whether the answer's text is in the frames (E1). */
  readonly #isShown: boolean;
  readonly #kept: Kept[] = [];

  constructor(message: MessageAccumulator, isShown: boolean) {
    this.#message = message;
    this.#isShown = isShown;
  }

  /** A piece of an answer that is not shown: of one that is, the frames have it (E1). */
  say(event: AgentEvent, at: number): void {
    this.#message.add(event, at);
  }

  /** Everything else that becomes an item; `afterSeq`: the last frame so far. Gives how much it is, in units of text or JSON. */
  add(event: AgentEvent, afterSeq: number, at: number): number {
    const isText = event.type === "reasoning";
    const json = isText ? event.content : JSON.stringify(event);
    if (this.#isShown) this.#kept.push({ event: isText ? event : readBack(json), afterSeq, at });
    else this.#message.add(event, at);
    return json.length;
  }

  /** The whole of it. `frames`: all of the turn, in their order, up to `lastSeq`. */
  async whole(frames: AsyncIterable<FrameRow>, lastSeq: number): Promise<MessageAccumulator> {
    if (!this.#isShown) return this.#message;
    const text = new FrameText();
    let next = 0;
    for await (const row of frames) {
      if (row.firstSeq > text.readSeq + 1) throw missing(text.readSeq);
      text.open(row);
      for (let kept = this.#kept[next]; ; kept = this.#kept[next]) {
        text.readTo(kept?.afterSeq ?? lastSeq);
        // E2
        if (kept === undefined || text.readSeq < kept.afterSeq) break;
        this.#addText(text);
        this.#message.add(kept.event, kept.at);
        next += 1;
      }
    }
    if (text.readSeq !== lastSeq) throw missing(text.readSeq);
    this.#addText(text);
    return this.#message;
  }

  #addText(text: FrameText): void {
    const found = text.take();
    if (found !== undefined) this.#message.add({ type: "text", content: found.text }, found.at);
  }
}

// E3
function readBack(json: string): AgentEvent {
  const event = JSON.parse(json) as AgentEvent;
  const issue = checkEvent(event);
  if (issue) throw new FramerailError("INVALID_EVENT", `a ${event.type} event cannot be kept`, { issue });
  return event;
}

function missing(readSeq: number): FramerailError {
  return new FramerailError("INVARIANT_VIOLATION", `of a turn that has ended, frame ${readSeq + 1} is not there`);
}
