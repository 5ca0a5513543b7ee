// How a checkpoint looks in storage: four bytes for the version of the layout, the highest first, then the worker's
// state, which nobody here reads [R-5.2.1-1].
// Owns: those four bytes. Does not own: the state, which the worker has packed.

import { createHash } from "node:crypto";
import { FramerailError } from "@framerail/protocol";
import { CHECKPOINT_STATE_BYTES_MAX } from "./limits.js";

/** Writer and reader change it together; a blob of another version is never guessed at [R-5.2.1-3]. */
export const CHECKPOINT_VERSION = 1;

const HEADER_BYTES = 4;

export function prependVersion(state: Uint8Array): Uint8Array {
  if (state.length > CHECKPOINT_STATE_BYTES_MAX) {
    throw new FramerailError("INPUT_TOO_LARGE", `a checkpoint has at most ${CHECKPOINT_STATE_BYTES_MAX} bytes`);
  }
  const blob = new Uint8Array(HEADER_BYTES + state.length);
  viewOf(blob).setUint32(0, CHECKPOINT_VERSION);
  blob.set(state, HEADER_BYTES);
  return blob;
}

/** The state in a blob. Throws CHECKPOINT_UNREADABLE for one that is cut off or of another version. */
export function stripVersion(blob: Uint8Array): Uint8Array {
  if (blob.length < HEADER_BYTES) throw unreadable("it is too short to have a version");
  const version = viewOf(blob).getUint32(0);
  if (version !== CHECKPOINT_VERSION) throw unreadable(`its version is ${version}, not ${CHECKPOINT_VERSION}`);
  return blob.subarray(HEADER_BYTES);
}

export function digestBlob(blob: Uint8Array): string {
  return createHash("sha256").update(blob).digest("hex");
}

export function unreadable(why: string): FramerailError {
  return new FramerailError("CHECKPOINT_UNREADABLE", `a checkpoint cannot be read: ${why}`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
