// Makes the JSON of one turn's frames: the bytes that are logged, sent as SSE `data` and written as an NDJSON line.
// On the path of every token, so what is constant is made once: the start of a frame per type, the middle per turn.
//   N1. A frame is checked before it is written: wrong type, missing field, lone surrogate, NaN, negative count get an
//       INVALID_FRAME that names the field and the rule, and nothing is written.
//   N2. Only the fields of the definition are written, in its order, after the envelope [W-FR-2, W-ERR-8].
//   N3. The text is on one line for every reader (schema/text.ts T1).
//   N4. A frame is at most FRAME_BYTES_MAX bytes [W-NFR-7]; the error names the largest field. Text is split before it
//       comes here (schema/cut-text.ts), items are dropped by the tool layer.

import type { Clock } from "../clock.js";
import { createTimestamps } from "../clock.js";
import { type FramerailError, refuse } from "../error.js";
import { FRAME_BYTES_MAX, NAME_LENGTH_MAX } from "../limits.js";
import type { Check } from "../schema/check.js";
import { compileCheck } from "../schema/check.js";
import { object } from "../schema/schema.js";
import { countBytes, exceedsBytes, quote } from "../schema/text.js";
import type { Write } from "../schema/write.js";
import { compileFields } from "../schema/write.js";
import { envelopeFields, WIRE_VERSION } from "./define-frame.js";
import type { FrameType, PayloadOf } from "./vocabulary.js";
import { FRAMES } from "./vocabulary.js";

export interface FrameEncoder {
  /** The compact JSON of the turn's frame number `seq`. */
  encode<T extends FrameType>(type: T, seq: number, payload: PayloadOf<T>): string;
}

export interface FrameEncoderOptions {
  readonly responseId: string;
  readonly clock: Clock;
}

interface Plan {
  readonly start: string;
  readonly check: Check;
  readonly writeFields: Write;
}

const PLANS = new Map<string, Plan>();
for (const [type, definition] of Object.entries(FRAMES)) {
  PLANS.set(type, {
    start: `{"event_type":"${type}","version":"${WIRE_VERSION}","timestamp":"`,
    check: compileCheck(definition.payload),
    writeFields: compileFields(definition.payload, ","),
  });
}

const checkResponseId = compileCheck(object({ response_id: envelopeFields("", "").response_id }));

export function createFrameEncoder({ responseId, clock }: FrameEncoderOptions): FrameEncoder {
  const broken = checkResponseId({ response_id: responseId });
  if (broken) throw refuse("INVALID_ARGUMENT", "frame encoder", broken);
  const timestamp = createTimestamps(clock);
  const middle = `","response_id":${quote(responseId)},"seq":`;
  return {
    encode(type, seq, payload) {
      const plan = PLANS.get(type);
      if (plan === undefined) throw unknownType(type);
      const broken = plan.check(payload);
      if (broken) throw refuse("INVALID_FRAME", `${type} frame`, broken);
      if (!Number.isSafeInteger(seq) || seq < 1) throw wrongSeq(type);
      const text = `${plan.start}${timestamp()}${middle}${seq}${plan.writeFields(payload)}}`;
      if (exceedsBytes(text, FRAME_BYTES_MAX)) throw tooLarge(type, payload);
      return text;
    },
  };
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
