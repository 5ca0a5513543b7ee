// Reads Server-Sent Events from bytes, after the parsing rules of the HTML standard.
// Owns: fields, events, the id in force. Does not own: lines, the bound, dead decoders (line-splitter.ts L1 to L5),
// reconnecting, JSON.
//   P1. The events are the same for every way of cutting the bytes, each within the push of its earliest deciding byte:
//       the first byte of the blank line's end.
//   P2. An event that the input does not finish never existed, nor did its id.
//   P3. Data counts one byte per line beside its own, so that lines without data are bounded too (L2). The id and the
//       name are one line each and no part of that sum.
//   P4. An exception of a callback passes through `push` and ends the decoder (L5).

import { requireBytesMax, requireFunction, requireObject, requireOptionalFunction } from "./check-argument.js";
import { decodeUtf8 } from "./decode-utf8.js";
import { createLineSplitter } from "./line-splitter.js";

const COLON = 0x3a;
const SPACE = 0x20;
const DATA = [0x64, 0x61, 0x74, 0x61];
const EVENT = [0x65, 0x76, 0x65, 0x6e, 0x74];
const ID = [0x69, 0x64];
const RETRY = [0x72, 0x65, 0x74, 0x72, 0x79];
const DIGITS = /^[0-9]+$/;

export interface SseEvent {
  /** The id in force at this event, its own or an earlier one's; "" when there is none. */
  readonly id: string;
  /** `message` when the event has no name. */
  readonly event: string;
  readonly data: string;
}

export interface SseDecoderOptions {
  onEvent(event: SseEvent): void;
  onComment?: ((text: string) => void) | undefined;
  /** A wait that is too long to count is given as the largest safe integer. */
  onRetry?: ((ms: number) => void) | undefined;
  /** What may be held for one event. */
  readonly bytesMax?: number | undefined;
}

export interface SseEnd {
  /** False when an unfinished line or event was discarded (P2), or the decoder had failed. */
  readonly clean: boolean;
  /** What a reader sends as `Last-Event-ID` when it connects again. */
  readonly lastEventId: string;
}

export interface SseDecoder {
  push(bytes: Uint8Array): void;
  end(): SseEnd;
}

export function createSseDecoder(options: SseDecoderOptions): SseDecoder {
  requireObject(options, "options");
  const { onEvent, onComment, onRetry } = options;
  requireFunction(onEvent, "onEvent");
  requireOptionalFunction(onComment, "onComment");
  requireOptionalFunction(onRetry, "onRetry");

  let lines: string[] = [];
  let dataBytes = 0;
  let name = "";
  let id = "";
  let lastEventId = "";
  let unfinished = false;

  function takeLine(bytes: Uint8Array, start: number, end: number): number {
    if (start === end) {
      finishEvent();
      return 0;
    }
    let value: number;
    switch (bytes[start]) {
      case 0x64: // d
        value = findValue(bytes, start, end, DATA);
        if (value !== -1) takeData(bytes, value, end);
        break;
      case 0x65: // e
        value = findValue(bytes, start, end, EVENT);
        if (value !== -1) takeName(decodeUtf8(bytes, value, end));
        break;
      case 0x69: // i
        value = findValue(bytes, start, end, ID);
        if (value !== -1) takeId(decodeUtf8(bytes, value, end));
        break;
      case 0x72: // r
        value = findValue(bytes, start, end, RETRY);
        if (value !== -1 && onRetry !== undefined) takeRetry(decodeUtf8(bytes, value, end));
        break;
      case COLON:
        if (onComment !== undefined) onComment(decodeUtf8(bytes, skipSpace(bytes, start + 1, end), end));
        break;
      default: // An unknown field is ignored.
    }
    return dataBytes;
  }

  function takeData(bytes: Uint8Array, start: number, end: number): void {
    lines.push(decodeUtf8(bytes, start, end));
    dataBytes += end - start + 1;
    unfinished = true;
  }

  function takeName(text: string): void {
    name = text;
    unfinished = true;
  }

  function takeId(text: string): void {
    if (text.includes("\0")) return;
    id = text;
    unfinished = true;
  }

  function takeRetry(text: string): void {
    if (DIGITS.test(text)) onRetry?.(Math.min(Number(text), Number.MAX_SAFE_INTEGER));
  }

  function finishEvent(): void {
    lastEventId = id;
    unfinished = false;
    const event = name === "" ? "message" : name;
    name = "";
    if (lines.length === 0) return;
    const data = lines.length === 1 ? (lines[0] as string) : lines.join("\n");
    lines = [];
    dataBytes = 0;
    onEvent({ id, event, data });
  }

  const splitter = createLineSplitter({
    endsAtCr: true,
    bytesMax: requireBytesMax(options.bytesMax),
    onLine: takeLine,
  });
  return {
    push: splitter.push,
    end() {
      const whole = splitter.end({ acceptLastLine: false });
      return { clean: whole && !unfinished, lastEventId };
    },
  };
}

/** Where the value of field `field` starts in a line, or -1 when the line is of another field. Looks at no byte beyond. */
function findValue(bytes: Uint8Array, start: number, end: number, field: readonly number[]): number {
  const nameEnd = start + field.length;
  if (nameEnd > end) return -1;
  for (let index = 0; index < field.length; index += 1) if (bytes[start + index] !== field[index]) return -1;
  if (nameEnd === end) return end;
  return bytes[nameEnd] === COLON ? skipSpace(bytes, nameEnd + 1, end) : -1;
}

/** One space after the colon belongs to the notation, a second one or a TAB to the value. */
function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  return start < end && bytes[start] === SPACE ? start + 1 : start;
}
