// A frame as the checker sees it, out of a stored segment or a client's bytes.

import { readSse } from "../harness/sse-reader.js";
import type { StoredTurn } from "./history.js";

export interface SeenFrame {
  readonly turnId: string;
  readonly epoch: number;
  readonly seq: number;
  /** Its bytes, but for the blank line behind them. */
  readonly raw: string;
  readonly type: string;
  readonly isTerminal: boolean;
  readonly body: FrameBody;
}

export interface FrameBody {
  readonly event_type?: string;
  readonly response_id?: string;
  readonly seq?: number;
  readonly is_final?: boolean;
  readonly chunk?: string;
  readonly tool_call?: { readonly id: string };
}

/** What a stream holds, in order: frames, and "[DONE]" where it stands. Whatever else has an id or data is `other`. */
export function framesOf(sse: string): (SeenFrame | "[DONE]" | "other")[] {
  return readSse(sse).events.map(({ id = "", data, raw }) => {
    if (data === "[DONE]") return data;
    const [, turnId, epoch, seq] = /^([0-9a-f-]{36})\.(\d+)\.(\d+)$/.exec(id) ?? [];
    const body = parse(data);
    if (turnId === undefined || body === undefined) return "other";
    const type = body.event_type ?? "";
    const isTerminal = type === "completed" || type === "cancelled" || (type === "error" && body.is_final === true);
    return { turnId, epoch: Number(epoch), seq: Number(seq), raw, type, isTerminal, body };
  });
}

/** The log of a turn: what was stored of it, then its terminal. */
export function logOf({ segments, terminal }: StoredTurn): SeenFrame[] {
  const sse = `${segments.map((segment) => segment.sse).join("")}${terminal ?? ""}`;
  return framesOf(sse).filter((frame) => typeof frame !== "string");
}

function parse(data: string): FrameBody | undefined {
  try {
    return JSON.parse(data) as FrameBody;
  } catch {
    return undefined;
  }
}
