// What a turn has said and done so far, folded from its frames: for a screen that shows it while it runs.
// Owns: items, text, placeholders and progress. Does not own: order and repeats (turn-connection.ts sees to both).
//   T1. A frame costs the same however long the turn already is, and so does a look at it: += only links two strings, and
//       only who reads the letters has them put together. Pieces are joined some at a time, because a link for each of
//       them would be looked at by every collection for as long as the turn is held.
//   T2. Items have the shape of history's, so one renderer serves both [P-49, P-50]. What the wire does not carry, a
//       tool's arguments and result, is null.
//   T3. `data_loaded` takes the place of the placeholder with its `data.id` [W-FR-16]; the end discards the rest [I-24].
//   T4. Progress is the status, or that the model thinks; tools are telemetry and no progress [W-MAP-5].
//   T5. What an `error` says is kept only for who asked to see it [W-ERR-10].

import type { ContentItem, Frame, FrameOf, Usage } from "@framerail/protocol";
import type { TurnDocument, TurnEnd } from "./documents.js";

export type Progress =
  | { readonly kind: "status"; readonly id: string; readonly message: string }
  | { readonly kind: "thinking" };

export type Placeholder = FrameOf<"data_loading">["data"] & {
  /** How many items stand before it. */
  readonly at: number;
};

export interface TranscriptView {
  /** Whether `text` and `items` are the answer from its first frame on; false for the rest of it after a cursor. */
  readonly isWhole: boolean;
  /** The answer so far. */
  readonly text: string;
  readonly items: readonly ContentItem[];
  readonly placeholders: readonly Placeholder[];
  readonly progress: Progress | undefined;
  readonly usage: Usage | undefined;
  /** Failures the turn survived or died of; empty unless `showErrors`. */
  readonly errors: readonly FrameOf<"error">["error"][];
}

type StandingFrame = FrameOf<"tool_call" | "tool_completed" | "data_loaded" | "component">;

const PIECES_MAX = 64;

/** The text that is growing (T1). */
class GrowingText {
  readonly type: "message" | "reasoning";
  readonly timestamp: number;
  isEmpty = true;
  #joined = "";
  #pieces: string[] = [];

  constructor(type: GrowingText["type"], timestamp: number) {
    this.type = type;
    this.timestamp = timestamp;
  }

  add(piece: string): void {
    if (piece !== "") this.isEmpty = false;
    if (this.#pieces.push(piece) === PIECES_MAX) this.read();
  }

  read(): string {
    this.#joined += this.#pieces.join("");
    this.#pieces = [];
    return this.#joined;
  }
}

export class Transcript {
  readonly #showErrors: boolean;
  isWhole: boolean;
  #items: ContentItem[] = [];
  #growing: GrowingText | undefined;
  /** The answer, without what is growing. */
  #closedText = "";
  #placeholders = new Map<string, Placeholder>();
  #toolStarts = new Map<string, number>();
  #progress: Progress | undefined;
  #usage: Usage | undefined;
  #errors: FrameOf<"error">["error"][] = [];

  constructor({ showErrors = false }: { readonly showErrors?: boolean | undefined } = {}, isWhole = true) {
    this.#showErrors = showErrors;
    this.isWhole = isWhole;
  }

  add(frame: Frame): void {
    switch (frame.event_type) {
      case "text":
        this.#progress = undefined;
        this.#grow("message", frame);
        return;
      case "reasoning":
        this.#grow("reasoning", frame);
        return;
      case "thinking":
        if (this.#progress === undefined) this.#progress = { kind: "thinking" };
        return;
      case "status":
        this.#progress = { kind: "status", id: frame.data.event_id, message: frame.data.message };
        return;
      case "data_loading":
        this.#placeholders.set(frame.data.id, { ...frame.data, at: this.#items.length + this.#grown().length });
        return;
      case "usage":
        this.#usage = usageOf(frame);
        return;
      case "error":
        if (this.#showErrors) this.#errors.push(frame.error);
        return;
      case "tool_call":
      case "tool_completed":
      case "data_loaded":
      case "component":
        this.#stand(frame);
        return;
      default:
        return;
    }
  }

  /** The turn is over: nothing is on its way any more. */
  close(): void {
    this.#placeholders.clear();
    this.#progress = undefined;
  }

  /** The whole answer, as the server keeps it, instead of what was read of it. */
  replace({ message }: TurnDocument): void {
    this.#growing = undefined;
    this.isWhole = true;
    this.#items = [...(message?.content_items ?? [])];
    this.#closedText = this.#items.map((item) => (item.type === "message" ? item.content : "")).join("");
  }

  view(): TranscriptView {
    return {
      isWhole: this.isWhole,
      text: this.text(),
      items: [...this.#items, ...this.#grown()],
      placeholders: [...this.#placeholders.values()],
      progress: this.#progress,
      usage: this.#usage,
      errors: [...this.#errors],
    };
  }

  text(): string {
    return this.#growing?.type === "message" ? this.#closedText + this.#growing.read() : this.#closedText;
  }

  // T1
  #grow(type: GrowingText["type"], { chunk, timestamp }: FrameOf<"text" | "reasoning">): void {
    if (this.#growing?.type !== type) {
      this.#closeText();
      this.#growing = new GrowingText(type, Date.parse(timestamp));
    }
    this.#growing.add(chunk);
  }

  #closeText(): void {
    this.#items.push(...this.#grown());
    this.#closedText = this.text();
    this.#growing = undefined;
  }

  /** What is growing as the item that it is so far, unless it is empty. */
  #grown(): readonly ContentItem[] {
    const growing = this.#growing;
    if (growing === undefined || growing.isEmpty) return [];
    const { type, timestamp } = growing;
    return [{ type, sequence: this.#items.length, content: growing.read(), timestamp }];
  }

  #stand(frame: StandingFrame): void {
    this.#closeText();
    const place = { sequence: this.#items.length, timestamp: Date.parse(frame.timestamp) };
    this.#items.push(this.#itemOf(frame, place));
  }

  #itemOf(frame: StandingFrame, place: { readonly sequence: number; readonly timestamp: number }): ContentItem {
    const { timestamp } = place;
    switch (frame.event_type) {
      case "tool_call": {
        const { id, name } = frame.tool_call;
        this.#toolStarts.set(id, timestamp);
        return { type: "tool_call", ...place, tool_call_id: id, tool_name: name, arguments: null };
      }
      case "tool_completed": {
        const { id, status } = frame.tool_call;
        const duration_ms = Math.max(0, timestamp - (this.#toolStarts.get(id) ?? timestamp));
        this.#toolStarts.delete(id);
        const end = { tool_call_id: id, result: null, is_error: status !== undefined, duration_ms };
        return { type: "tool_result", ...place, ...end };
      }
      case "data_loaded": {
        const { id, type, items } = frame.data;
        // T3
        this.#placeholders.delete(id);
        return { type: "component", ...place, data_id: id, data_type: type, items };
      }
      default: {
        const { id, name } = frame.tool_call;
        return { type: "component", ...place, data_id: id, data_type: name, chunk: frame.chunk, tool_call_id: id };
      }
    }
  }
}

function usageOf({
  input_tokens,
  output_tokens,
  total_tokens,
  reasoning_tokens,
  cached_tokens,
}: FrameOf<"usage">): Usage {
  return { input_tokens, output_tokens, total_tokens, reasoning_tokens, cached_tokens };
}

/** The end that a frame tells; undefined for a frame after which the turn goes on. */
export function endOfFrame(frame: Frame, showErrors: boolean): TurnEnd | undefined {
  switch (frame.event_type) {
    case "completed":
      return { kind: "completed", paused: frame.has_more === true };
    case "cancelled":
      return { kind: "cancelled", code: frame.error.code };
    case "error":
      if (!frame.is_final) return undefined;
      return { kind: "failed", ...(showErrors && { error: frame.error }) };
    default:
      return undefined;
  }
}
