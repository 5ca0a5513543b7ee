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

import type { Clock } from "../clock.js";
import { createTimestamps } from "../clock.js";
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

export interface FrameEncoder {
  /** The compact JSON of the turn's frame number `seq`, in the framing that was asked for. `at`: now, where absent. */
  encode<T extends FrameType>(type: T, seq: number, payload: PayloadOf<T>, at?: number): string;
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

class Encoder implements FrameEncoder {
  readonly #framing: Framing | undefined;
  readonly #lead: string;
  readonly #tailLength: number;
  /** What stands between the time and the number. */
  readonly #middle: string;
  readonly #close: string;
  readonly #closeText: string;
  readonly #timestamp: (now?: number) => string;
  // N7: of the latest frame.
  #plan: Plan | undefined;
  #stamp = "";
  #shared = "";
  #isWelded = false;

  constructor({ responseId, clock, framing }: FrameEncoderOptions) {
    const tail = framing?.tail ?? "";
    this.#framing = framing;
    this.#lead = framing?.lead ?? "";
    this.#tailLength = tail.length;
    this.#middle = weld('","response_id":', quote(responseId), ',"seq":');
    this.#close = weld("}", tail);
    this.#closeText = weld('"}', tail);
    this.#timestamp = createTimestamps(clock);
  }

  encode<T extends FrameType>(type: T, seq: number, payload: PayloadOf<T>, at?: number): string {
    const { isText, jsonAt, check, writeFields } = this.#planOf(type, at);
    const chunk = isText ? escapeChunk(payload) : undefined;
    const broken = chunk === undefined ? check(payload) : undefined;
    if (broken) throw refuse("INVALID_FRAME", `${type} frame`, broken);
    if (!Number.isSafeInteger(seq) || seq < 1) throw wrongSeq(type);
    const shared = this.#shared;
    const start = this.#framing === undefined ? shared : `${this.#lead}${seq}${shared}`;
    // Text is joined in one go: every string made on the way is one more to walk when the frame becomes bytes.
    const text =
      chunk === undefined
        ? `${start}${seq}${writeFields(payload)}${this.#close}`
        : `${start}${seq},"chunk":"${chunk}${this.#closeText}`;
    const around = start.length - shared.length + jsonAt + this.#tailLength;
    if (exceedsBytes(text, FRAME_BYTES_MAX + around)) throw tooLarge(type, payload);
    return text;
  }

  // N7
  #planOf(type: string, at: number | undefined): Plan {
    const stamp = this.#timestamp(at);
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
  return plans.get(type) ?? addPlan(plans, plan, middleOf(type));
}

/** The plan of a type that has not been framed yet (N6). */
function addPlan(plans: Map<string, Plan>, plan: Plan, before: string): Plan {
  const framed: Plan = { ...plan, start: weld(before, plan.start), jsonAt: before.length };
  plans.set(plan.type, framed);
  return framed;
}

// N5
function escapeChunk(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  // isOrdinary, written out: here the load meets one shape, there it meets all.
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
