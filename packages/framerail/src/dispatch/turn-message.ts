// The message of a turn while it runs. Of the answer's text, most of what there is, only the frames are kept, and it is read
// from them when something has to stand behind it, when frames leave memory, and at the end.
// Owns: when frames are read. Does not own: reading them (log/frame-text.ts), what becomes an item (the accumulator).
//   E1. What is read is what the agent wrote: a text that policy shows is one frame, or as many as it was cut into, and
//       goes out unchanged. Where policy keeps text inside, it is added here, as everything else is [C-42].
//   E2. Items stand in the order in which their events came [P-33]: text that went out is read before anything is added.
//   E3. Frames are read before they may leave memory: whoever stores them shows them here first.

import type { AgentEvent, MessageAccumulator } from "@framerail/protocol";
import { FrameText } from "../log/frame-text.js";
import type { Segment } from "../log/segment.js";
import type { TurnAppender } from "../log/turn-log.js";

export class TurnMessage {
  readonly #message: MessageAccumulator;
  readonly #log: TurnAppender;
  readonly #text = new FrameText();
  #hasUnread = false;

  constructor(message: MessageAccumulator, log: TurnAppender) {
    this.#message = message;
    this.#log = log;
  }

  /** A piece of the answer goes out as a frame (E1). */
  goesOut(): void {
    this.#hasUnread = true;
  }

  /** Everything else that becomes an item (E2). */
  add(event: AgentEvent, at: number): void {
    if (this.#hasUnread) this.read([...this.#log.held(this.#text.readSeq), ...this.#log.unreleased()]);
    this.#addText();
    this.#message.add(event, at);
  }

  /** Frames in their order; those that were read before may be among them (E3). */
  read(segments: readonly Segment[]): void {
    this.#text.read(segments);
    this.#hasUnread = false;
  }

  /** The whole of it, when all frames were read. */
  whole(): MessageAccumulator {
    this.#addText();
    return this.#message;
  }

  #addText(): void {
    const found = this.#text.take();
    if (found !== undefined) this.#message.add({ type: "text", content: found.text }, found.at);
  }
}
