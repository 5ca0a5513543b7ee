// A turn as a stream on a connection.
// Owns: from an answer to an open stream: its headers, its place among the tenant's streams, its reader's presence.
//   S1. Whatever ends the stream ends all of these, once.

import type { Caller } from "../../auth/caller.js";
import type { Gateway } from "../../gateway.js";
import { readCursor, START } from "../../stream/cursor.js";
import { openReader } from "../../stream/open-reader.js";
import { openOutput } from "../../stream/stream-output.js";
import type { TurnStreamEnd } from "../../stream/turn-stream.js";
import { TurnStream } from "../../stream/turn-stream.js";
import { wireFormat } from "../../stream/wire-format.js";
import type { Answer, Exchange } from "../exchange.js";
import { readHeader, STREAMED } from "../exchange.js";
import type { StreamChoice } from "../negotiate.js";
import { watchSocket } from "../watch-response.js";

export interface StreamRequest {
  readonly turnId: string;
  readonly caller: Caller;
  readonly choice: StreamChoice;
  readonly cursor: string | undefined;
  /** Gives back the reader's place among the tenant's streams, which was taken before anything was begun. */
  leaveLimit(): void;
}

/** Streams the turn from the cursor, or answers 204 when there is nothing after it. Throws what openReader does. */
export async function streamTurn(
  gateway: Gateway,
  exchange: Pick<Exchange, "takeOver">,
  { turnId, caller, choice, cursor, leaveLimit }: StreamRequest,
): Promise<Answer | typeof STREAMED> {
  const { turns, presence, clock, watch } = gateway;
  const leave = presence.enter(turnId);
  const giveBack = () => {
    leaveLimit();
    leave();
  };
  try {
    const reader = await openReader(gateway, {
      turnId,
      cursor: cursor === undefined ? START : readCursor(cursor, turnId),
      find: () => turns.find(caller, turnId),
      frames: async (afterSeq) => (await turns.frames(caller.tenantId, turnId, afterSeq)).frames,
    });
    if (reader === undefined) {
      giveBack();
      return { status: 204 };
    }
    const { view, afterSeq, readBack, detach } = reader;
    const format = wireFormat(choice.transport, choice.version);
    const { response, headers } = exchange.takeOver();
    response.writeHead(200, {
      ...headers,
      "content-type": format.contentType,
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "framerail-version": choice.version,
      "framerail-turn-id": turnId,
      location: `/v1/turns/${turnId}`,
    });
    const onClosed = watch.readerOpened(choice.transport);
    let isOver = false;
    let unwatch = () => {};
    // S1
    const onOver = (how: TurnStreamEnd | "left") => {
      if (isOver) return;
      isOver = true;
      unwatch();
      detach();
      giveBack();
      onClosed(how);
    };
    const output = openOutput(response);
    const stream = new TurnStream({ view, afterSeq, output, format, clock, readBack, onEnd: onOver });
    const onClose = () => {
      stream.close();
      onOver("left");
    };
    response.on("close", onClose);
    if (response.socket === null && !isOver) unwatch = watchSocket(response.req.socket, onClose);
    if (response.destroyed || response.socket?.destroyed) onClose();
    return STREAMED;
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** The cursor that a request names: the header a browser sends by itself, or the query. */
export function cursorOf({ headers, query }: Pick<Exchange, "headers" | "query">): string | undefined {
  const header = readHeader(headers, "last-event-id");
  return header === undefined || header === "" ? query.after : header;
}
