// One frame from the text of an SSE `data` or an NDJSON line, in the words of 0.5 whatever version was asked for.
//   V1. What the client does not know is passed over, but its place in the turn counts [W-FR-12].
//   V2. A frame of 0.4 becomes the frame of 0.5 it was projected from, as far as that can be known: an `error` with the
//       code of a cancellation is `cancelled`, and one that does not say whether it is final is [W-IN-4, W-MAP-6].
//   V3. A frame without a number has no place, and is refused.

import type { CancelCode, Frame, WireVersion } from "@framerail/protocol";
import { CANCEL_CODES, FramerailError, parseJson, readFrame, readFrame04, WIRE_VERSION } from "@framerail/protocol";

export interface WireFrame {
  readonly seq: number;
  readonly turnId: string;
  /** Undefined for a type that this client does not know. */
  readonly frame: Frame | undefined;
}

export function readWire(text: string, version: WireVersion): WireFrame {
  const value = parseJson(text);
  const reading = version === WIRE_VERSION ? readFrame(value) : readFrame04(value);
  const { seq, response_id: turnId } = value as { readonly seq?: unknown; readonly response_id?: unknown };
  // V3
  if (!Number.isSafeInteger(seq) || typeof turnId !== "string") {
    throw new FramerailError("INVALID_FRAME", "a frame must name its turn and its place in it");
  }
  return { seq: seq as number, turnId, frame: frameOf(reading, version) };
}

function frameOf(reading: { readonly kind: string; readonly frame?: object }, version: WireVersion): Frame | undefined {
  if (reading.frame === undefined) return undefined;
  return version === WIRE_VERSION ? (reading.frame as Frame) : raiseFrame(reading.frame as Frame04Read);
}

interface Frame04Read {
  readonly event_type: string;
  readonly type?: string;
  readonly error?: { readonly code: string };
  readonly is_final?: boolean;
}

// V2
function raiseFrame(frame: Frame04Read): Frame {
  const { type: _, ...rest } = frame;
  const raised = { ...rest, version: WIRE_VERSION };
  if (frame.event_type !== "error") return raised as unknown as Frame;
  const { is_final = true, ...envelope } = raised;
  if (CANCEL_CODES.includes(frame.error?.code as CancelCode)) {
    return { ...envelope, event_type: "cancelled" } as unknown as Frame;
  }
  return { ...envelope, is_final } as unknown as Frame;
}
