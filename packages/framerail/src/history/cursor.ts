// A place in a history as a text that callers carry without reading it.
//   C1. Only what encodeCursor made is accepted: any other text is INVALID_ARGUMENT, never a page from somewhere else.

import { FramerailError } from "@framerail/protocol";
import { TIME_MS_MAX } from "../store/checked-value.js";
import type { Position } from "../store/messages.js";

const PLACE = /^(0|[1-9]\d{0,14})\.(user|assistant)\.(msg_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeCursor({ created_at, role, _id }: Position): string {
  return Buffer.from(`${created_at}.${role}.${_id}`).toString("base64url");
}

export function decodeCursor(cursor: string): Position {
  const [, time, role, id] = PLACE.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  const position: Position = { created_at: Number(time), role: role === "user" ? role : "assistant", _id: id ?? "" };
  // Decoding is lenient about what is no base64; coming out the same again is not.
  if (id === undefined || position.created_at > TIME_MS_MAX || encodeCursor(position) !== cursor) {
    throw new FramerailError("INVALID_ARGUMENT", "before must be a cursor of this history");
  }
  return position;
}
