// The cursor: where a reader is in a turn. On SSE it is the `id:` of a frame, `<turn>.<epoch>.<seq>`; `?after=` also takes
// the bare number [D-2].
//   C1. A cursor is never a credential: it says where, not whether.

import { FramerailError } from "@framerail/protocol";
import { CURSOR_LENGTH_MAX } from "../limits.js";

export interface Cursor {
  /** Undefined for a bare number, which any epoch can honour. */
  readonly epoch: number | undefined;
  readonly seq: number;
}

export const START: Cursor = { epoch: undefined, seq: 0 };

const BARE = /^\d{1,10}$/;
const WHOLE = /^([0-9a-f-]{36})\.(\d{1,10})\.(\d{1,10})$/;

/** Throws INVALID_ARGUMENT for what is no cursor, NOT_FOUND for one of another turn. */
export function readCursor(text: string, turnId: string): Cursor {
  if (text.length <= CURSOR_LENGTH_MAX) {
    if (BARE.test(text)) return { epoch: undefined, seq: Number(text) };
    const [, turn, epoch, seq] = WHOLE.exec(text) ?? [];
    if (turn !== undefined && turn !== turnId) throw new FramerailError("NOT_FOUND", "the cursor is of another turn");
    if (turn !== undefined) return { epoch: Number(epoch), seq: Number(seq) };
  }
  throw new FramerailError("INVALID_ARGUMENT", "a cursor is the id of a frame, or its number");
}

/** Whether a text names a frame, and not the place before the first. */
export function isPlace(text: string): boolean {
  return /(?:^|\.)0*[1-9]\d*$/.test(text);
}

export function writeCursor(turnId: string, epoch: number, seq: number): string {
  return `${turnId}.${epoch}.${seq}`;
}
