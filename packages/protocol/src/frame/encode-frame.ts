// Makes the JSON of one turn's frames: the bytes that are logged, sent as SSE `data` and written as an NDJSON line.
// On the path of every token, so what is constant is made once: the start of a frame per type, the middle per turn.
//   N1. A frame is checked before it is written: wrong type, missing field, lone surrogate, NaN, negative count get an
//       INVALID_FRAME that names the field and the rule, and nothing is written.
//   N2. Only the fields of the definition are written, in its order, after the envelope [W-FR-2, W-ERR-8].
//   N3. The text is on one line for every reader (schema/text.ts T1).
//   N4. A frame is at most FRAME_BYTES_MAX bytes [W-NFR-7]; the error names the largest field. Text is split before it
//       comes here (schema/cut-text.ts), items are dropped by the tool layer.
//   N5. Text, the frame of every token, has a shorter way through N1 and N2. It takes only what the long way would write
//       with the same bytes; whatever else comes is left to the long way, which can say what is wrong with it.
//   N6. A frame that goes out on one transport is written in its framing in one go: joined afterwards, it would cost as
//       much again to put together as its JSON does.
//   N7. Frames of one type within one millisecond, the pieces of an answer above all, differ only from `seq` on: what
//       they share is put together once, as soon as there is a second one.
//   N8. Text can be written as bytes, to where they are kept, and then no string is made of it. The bytes are those of the
//       string. Such a frame differs from the one before it by its number, its time and its text, so it begins as a copy
//       of that one, while that one stands in the same memory.
//   N9. The times of a turn never go back, even when the wall clock is set back [W-EV-20].

import type { Clock } from "../clock.js";
import { stampOf } from "../clock.js";
import { type FramerailError, refuse } from "../error.js";
import { FRAME_BYTES_MAX, NAME_LENGTH_MAX } from "../limits.js";
import type { Check } from "../schema/check.js";
import { compileCheck } from "../schema/check.js";
import type { ObjectNode } from "../schema/schema.js";
import { isOptional, object } from "../schema/schema.js";
import { countBytes, escapeText, exceedsBytes, isWellFormed, quote, weld } from "../schema/text.js";
import type { Write } from "../schema/write.js";
import { compileFields } from "../schema/write.js";
import { envelopeFields, WIRE_VERSION } from "./define-frame.js";
import type { FrameType, PayloadOf } from "./vocabulary.js";
import { FRAMES } from "./vocabulary.js";
import { STAMP_BYTES, UNIT_BYTES_MAX, writeAscii, writeDigits, writeStamp, writeText } from "./write-text.js";

export interface FrameEncoder {
  /** The compact JSON of the turn's frame number `seq`, in the framing that was asked for. `at`: now, where absent. */
  encode<T extends FrameType>(type: T, seq: number, payload: PayloadOf<T>, at?: number): string;
  /** How many bytes must be free for `encodeText`; undefined for text so long that `encode` is the better way. */
  textBytesMax(chunk: string): number | undefined;
  /** Writes a text frame to where it is kept, and gives its size; 0: this text is one that `encode` refuses (N8). */
  encodeText(chunk: string, seq: number, at: number, room: FrameRoom): number;
}

/** Where a frame can be written. */
export interface FrameRoom {
  readonly bytes: Uint8Array;
  /** Where it is to begin; everything behind is free, everything before it stays as it is. */
  readonly end: number;
}

export interface FrameEncoderOptions {
  readonly responseId: string;
  readonly clock: Clock;
  /** Such as `createSseFraming` gives. Absent: the JSON stands alone. */
  readonly framing?: Framing;
}

/** What stands around a frame's JSON on a transport, all of it ASCII: `<lead><seq><middle>JSON<tail>`. */
interface Framing {
  readonly lead: string;
  middleOf(type: string): string;
  readonly tail: string;
}

interface Plan {
  readonly type: string;
  /** What comes before the time: the start of the JSON, and before it what the framing puts between `seq` and JSON. */
  readonly start: string;
  /** Where in `start` the JSON begins. */
  readonly jsonAt: number;
  /** The end of the JSON and what the framing puts behind it; and the same with the quote that ends a text. */
  readonly close: string;
  readonly closeText: string;
  readonly tailLength: number;
  /** The payload is one free string called `chunk` (N5). */
  readonly isText: boolean;
  readonly check: Check;
  readonly writeFields: Write;
}

const PLANS = new Map<string, Plan>();
for (const [type, definition] of Object.entries(FRAMES)) {
  PLANS.set(type, {
    type,
    start: weld('{"event_type":"', type, '","version":"', WIRE_VERSION, '","timestamp":"'),
    jsonAt: 0,
    close: "}",
    closeText: '"}',
    tailLength: 0,
    isText: isTextPayload(definition.payload),
    check: compileCheck(definition.payload),
    writeFields: compileFields(definition.payload, ","),
  });
}

const checkResponseId = compileCheck(object({ response_id: envelopeFields("", "").response_id }));

export function createFrameEncoder(options: FrameEncoderOptions): FrameEncoder {
  const broken = checkResponseId({ response_id: options.responseId });
  if (broken) throw refuse("INVALID_ARGUMENT", "frame encoder", broken);
  return new Encoder(options);
}

const TEXT_FIELD = ',"chunk":"';
/** Text of up to so many units is written by a loop; for longer ones the engine's own passes are faster. */
const TEXT_LENGTH_MAX = 256;
/** Numbers with more digits are left to the long way (N8). */
const NUMBER_LENGTH_MAX = 9;
/** More than what stands around a text beside what is a turn's own: constant fields, the time, two numbers, the framing. */
const TEXT_AROUND_MAX = 256;
const NO_BYTES = new Uint8Array(0);

class Encoder implements FrameEncoder {
  readonly #framing: Framing | undefined;
  readonly #clock: Clock;
  readonly #lead: string;
  /** What stands between the time and the number. */
  readonly #middle: string;
  /** The time of the latest frame (N9). */
  #latestMs = Number.NEGATIVE_INFINITY;
  // N7: of the latest frame.
  #plan: Plan | undefined;
  #stamp = "";
  #shared = "";
  #isWelded = false;
  // N8: where the latest text frame that was written as bytes begins, and what stands where before its text.
  #bytes: Uint8Array = NO_BYTES;
  #copyStart = 0;
  #copyLength = 0;
  #idNumberEnd = 0;
  #stampStart = 0;
  /** The first number that has more digits. */
  #numberEnd = 0;
  #closeText = "";

  constructor({ responseId, clock, framing }: FrameEncoderOptions) {
    this.#framing = framing;
    this.#clock = clock;
    this.#lead = framing?.lead ?? "";
    this.#middle = weld('","response_id":', quote(responseId), ',"seq":');
  }

  encode<T extends FrameType>(type: T, seq: number, payload: PayloadOf<T>, at?: number): string {
    const { isText, jsonAt, close, closeText, tailLength, check, writeFields } = this.#planOf(
      type,
      at ?? this.#clock.now(),
    );
    const chunk = isText ? escapeChunk(payload) : undefined;
    const broken = chunk === undefined ? check(payload) : undefined;
    if (broken) throw refuse("INVALID_FRAME", `${type} frame`, broken);
    if (!Number.isSafeInteger(seq) || seq < 1) throw wrongSeq(type);
    const shared = this.#shared;
    const start = this.#framing === undefined ? shared : `${this.#lead}${seq}${shared}`;
    // Text is joined in one go: every string made on the way is one more to walk when the frame becomes bytes.
    const text =
      chunk === undefined
        ? `${start}${seq}${writeFields(payload)}${close}`
        : `${start}${seq}${TEXT_FIELD}${chunk}${closeText}`;
    const around = start.length - shared.length + jsonAt + tailLength;
    if (exceedsBytes(text, FRAME_BYTES_MAX + around)) throw tooLarge(type, payload);
    return text;
  }

  textBytesMax(chunk: string): number | undefined {
    if (chunk.length > TEXT_LENGTH_MAX) return undefined;
    const head = this.#copyLength > 0 ? this.#copyLength : this.#lead.length + this.#middle.length;
    return head + TEXT_AROUND_MAX + chunk.length * UNIT_BYTES_MAX;
  }

  encodeText(chunk: string, seq: number, at: number, { bytes, end: start }: FrameRoom): number {
    const ms = this.#advance(at);
    if (bytes === this.#bytes && seq < this.#numberEnd) this.#copyHead(seq, ms, start);
    else if (!this.#writeHead(seq, ms, bytes, start)) return 0;
    const textEnd = writeText(chunk, bytes, start + this.#copyLength);
    // Nothing may be copied from a frame that is none.
    if (textEnd < 0) {
      this.#bytes = NO_BYTES;
      return 0;
    }
    this.#copyStart = start;
    return writeAscii(this.#closeText, bytes, textEnd) - start;
  }

  #copyHead(seq: number, ms: number, start: number): void {
    const bytes = this.#bytes;
    const from = this.#copyStart;
    const length = this.#copyLength;
    bytes.copyWithin(start, from, from + length);
    if (this.#idNumberEnd > 0) writeDigits(seq, bytes, start + this.#idNumberEnd);
    writeDigits(seq, bytes, start + length - TEXT_FIELD.length);
    writeStamp(ms, bytes, start + this.#stampStart);
  }

  /** False: this is nothing that could be copied. */
  #writeHead(seq: number, ms: number, bytes: Uint8Array, start: number): boolean {
    const plan = findPlan("text", this.#framing);
    const [number, stamp] = [String(seq), stampOf(ms)];
    if (!(seq >= 1) || number.length > NUMBER_LENGTH_MAX || stamp.length !== STAMP_BYTES) return false;
    const id = this.#framing === undefined ? "" : this.#lead + number;
    const head = `${id}${plan.start}${stamp}${this.#middle}${number}${TEXT_FIELD}`;
    this.#bytes = bytes;
    this.#copyLength = writeAscii(head, bytes, start) - start;
    this.#idNumberEnd = id.length;
    this.#stampStart = id.length + plan.start.length;
    this.#numberEnd = 10 ** number.length;
    this.#closeText = plan.closeText;
    return true;
  }

  // N9
  #advance(at: number): number {
    if (at > this.#latestMs) this.#latestMs = at;
    return this.#latestMs;
  }

  // N7
  #planOf(type: string, at: number): Plan {
    const stamp = stampOf(this.#advance(at));
    const known = this.#plan;
    const plan = known?.type === type ? known : findPlan(type, this.#framing);
    if (plan !== known || stamp !== this.#stamp) {
      this.#plan = plan;
      this.#stamp = stamp;
      this.#shared = plan.start + stamp + this.#middle;
      this.#isWelded = false;
    } else if (!this.#isWelded) {
      this.#shared = weld(plan.start, stamp, this.#middle);
      this.#isWelded = true;
    }
    return plan;
  }
}

/** For all turns: what a framing puts around the JSON of a type says nothing about a turn. */
const FRAMED_PLANS = new WeakMap<Framing["middleOf"], Map<string, Plan>>();

function findPlan(type: string, framing: Framing | undefined): Plan {
  const plan = PLANS.get(type);
  if (plan === undefined) throw unknownType(type);
  if (framing === undefined) return plan;
  const { middleOf } = framing;
  const plans = FRAMED_PLANS.get(middleOf) ?? new Map<string, Plan>();
  FRAMED_PLANS.set(middleOf, plans);
  return plans.get(type) ?? addPlan(plans, plan, framing);
}

/** The plan of a type that has not been framed yet (N6). */
function addPlan(plans: Map<string, Plan>, plan: Plan, { middleOf, tail }: Framing): Plan {
  const before = middleOf(plan.type);
  const framed: Plan = {
    ...plan,
    start: weld(before, plan.start),
    jsonAt: before.length,
    close: weld(plan.close, tail),
    closeText: weld(plan.closeText, tail),
    tailLength: tail.length,
  };
  plans.set(plan.type, framed);
  return framed;
}

// N5
function escapeChunk(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  // A copy of isOrdinary: this property read meets objects of one shape and stays fast, the shared one meets all.
  const { chunk, __proto__: prototype } = payload as { readonly chunk?: unknown; readonly __proto__: unknown };
  if (prototype !== Object.prototype) return undefined;
  return typeof chunk === "string" && isWellFormed(chunk) ? escapeText(chunk) : undefined;
}

function isTextPayload({ fields, requires, rule }: ObjectNode): boolean {
  const [field, ...others] = Object.entries(fields);
  if (field === undefined || others.length > 0 || requires !== undefined || rule !== undefined) return false;
  const [name, schema] = field;
  if (name !== "chunk" || isOptional(schema) || schema.kind !== "string") return false;
  return schema.pattern === undefined && schema.lengthMin === undefined && schema.lengthMax === undefined;
}

function unknownType(type: string): FramerailError {
  const message = `event_type must be a wire type, not ${quote(String(type).slice(0, NAME_LENGTH_MAX))}`;
  return refuse("INVALID_FRAME", "frame", { path: "event_type", rule: "one_of", message });
}

function wrongSeq(type: string): FramerailError {
  const message = "seq must be a whole number from 1";
  return refuse("INVALID_FRAME", `${type} frame`, { path: "seq", rule: "minimum", message });
}

function tooLarge(type: string, payload: object): FramerailError {
  const sizes = Object.entries(payload).map(([name, value]) => ({
    name,
    bytes: countBytes(JSON.stringify(value) ?? ""),
  }));
  const largest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const message = `${largest.name} has ${largest.bytes} bytes, and a frame at most ${FRAME_BYTES_MAX}`;
  return refuse("FRAME_TOO_LARGE", `${type} frame`, { path: largest.name, rule: "bytes_max", message });
}
