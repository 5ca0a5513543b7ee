// Finds what a reader can be given: the turn as its log has it, or as the store has it once the log has let it go [D-2].
// Owns: whether a cursor can be honoured. Does not own: who may read (the caller has looked), sending (turn-stream.ts).
//   R1. A cursor is honoured when the frame it names is the one that was sent under it: the same seq, and the same epoch.
//       Any other is told CURSOR_EXPIRED, never answered with silence [G3].
//   R2. A turn can be read from its acceptance on. One that is on its way, or between two owners, is waited for.
//   R3. A reader at the terminal has nothing to read.
//   R4. A log that cannot be read, or has something else in a frame's place, turns no reader away while the store has the
//       frame. One that is in neither is gone once its turn has ended; until then it is the log that is away.
//   R5. A cursor past what this process has heard of is waited for: the reader may have seen that frame elsewhere.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { LoggedFrame } from "../../log/frame-sink.js";
import { framesAfter } from "../../log/segment.js";
import { splitFrames } from "../../log/split-frames.js";
import type { TurnLog, TurnView } from "../../log/turn-log.js";
import { ATTACH_AGAIN_MS, ATTACH_MS_MAX } from "../limits.js";
import type { Cursor } from "./cursor.js";
import { writeCursor } from "./cursor.js";
import { StoredView } from "./stored-view.js";

export interface ReaderSources {
  readonly log: TurnLog;
  readonly clock: Clock;
}

export interface ReaderRequest {
  readonly turnId: string;
  readonly cursor: Cursor;
  /** The turn as the store has it now; undefined when it is gone or was refused. */
  find(): Promise<{ readonly status: string; readonly epoch: number; readonly last_seq: number } | undefined>;
  /** Stored frames after `afterSeq`, some at a time. */
  frames(afterSeq: number): Promise<readonly LoggedFrame[]>;
}

export interface OpenReader {
  readonly view: TurnView;
  readonly afterSeq: number;
  readBack(afterSeq: number): Promise<readonly LoggedFrame[]>;
  /** To be called once, when the reader is gone. */
  detach(): void;
}

/** Undefined for a reader that has seen the terminal (R3). Throws NOT_FOUND, CURSOR_EXPIRED, LOG_UNAVAILABLE. */
export async function openReader(sources: ReaderSources, request: ReaderRequest): Promise<OpenReader | undefined> {
  const { turnId, cursor } = request;
  const { view, detach } = await attach(sources, request);
  const readBack = (afterSeq: number) => readBehind(view, request, afterSeq);
  try {
    await catchUp(view, cursor.seq, sources.clock);
    await requireHonoured(turnId, cursor, view, readBack);
    const isAtEnd = view.sealed && cursor.seq === view.lastSeq;
    if (!isAtEnd) return { view, afterSeq: cursor.seq, readBack, detach };
    detach();
    return undefined;
  } catch (error) {
    detach();
    throw error;
  }
}

// R2
async function attach({ log, clock }: ReaderSources, { turnId, find, frames }: ReaderRequest) {
  for (let waitedMs = 0; ; waitedMs += ATTACH_AGAIN_MS) {
    const { view, failure } = await log.attach(turnId).then(
      (found) => ({ view: found, failure: undefined }),
      (error: Error) => ({ view: undefined, failure: error }),
    );
    if (view !== undefined && !view.lost) return { view, detach: () => log.detach(turnId, view) };
    if (view !== undefined) log.detach(turnId, view);
    const turn = await find();
    if (turn === undefined) throw new FramerailError("NOT_FOUND", "no such turn");
    if (turn.status === "ended") {
      const { epoch, last_seq: lastSeq } = turn;
      return { view: new StoredView({ epoch, lastSeq, frames }), detach: () => undefined };
    }
    // R4
    if (failure !== undefined) throw failure;
    if (waitedMs >= ATTACH_MS_MAX) throw new FramerailError("LOG_UNAVAILABLE", "the turn is between two owners");
    await new Promise<void>((resolve) => void clock.schedule(ATTACH_AGAIN_MS, resolve));
  }
}

// R5
async function catchUp(view: TurnView, seq: number, clock: Clock): Promise<void> {
  const isBehind = () => seq > view.lastSeq && !view.sealed;
  for (let waitedMs = 0; isBehind() && waitedMs < view.lagMsMax; waitedMs += ATTACH_AGAIN_MS) {
    if (view.lost) throw new FramerailError("LOG_UNAVAILABLE", "the turn is between two owners");
    await new Promise<void>((resolve) => void clock.schedule(ATTACH_AGAIN_MS, resolve));
  }
}

// R4
async function readBehind(
  view: TurnView,
  { turnId, find, frames }: ReaderRequest,
  afterSeq: number,
): Promise<readonly LoggedFrame[]> {
  const { logged, failure } = await view.readBack(afterSeq).then(
    (found) => ({ logged: soundFrames(turnId, found, afterSeq), failure: undefined }),
    (error: Error) => ({ logged: [], failure: error }),
  );
  if (logged.length > 0) return logged;
  const stored = await frames(afterSeq);
  if (stored[0]?.seq === afterSeq + 1 || (await find())?.status === "ended") return stored;
  throw failure ?? new FramerailError("LOG_UNAVAILABLE", "the log does not have the turn now");
}

/** The frames up to the first that is not the one its number says. */
function soundFrames(turnId: string, frames: readonly LoggedFrame[], afterSeq: number): readonly LoggedFrame[] {
  const start = `id: ${turnId}.`;
  const wrong = frames.findIndex(({ seq, sse }, index) => {
    const isNext = seq === afterSeq + 1 + index && sse.startsWith(start);
    return !isNext || !sse.slice(start.length, sse.indexOf("\n")).endsWith(`.${seq}`);
  });
  return wrong === -1 ? frames : frames.slice(0, wrong);
}

// R1
async function requireHonoured(
  turnId: string,
  { epoch, seq }: Cursor,
  view: TurnView,
  readBack: OpenReader["readBack"],
): Promise<void> {
  if (seq > view.lastSeq) throw expired("the cursor is past what was logged");
  // A bare number names no frame that could be compared; then the one after it must be there.
  const isNamed = epoch !== undefined && seq > 0;
  const afterSeq = isNamed ? seq - 1 : seq;
  if (afterSeq >= view.lastSeq) return;
  const [frame] = await readOn(view, afterSeq, readBack);
  if (frame?.seq !== afterSeq + 1) throw expired("the frames after the cursor are no longer kept");
  if (isNamed && !frame.sse.startsWith(`id: ${writeCursor(turnId, epoch, seq)}\n`)) {
    throw expired("the cursor names a frame that this turn does not have");
  }
}

async function readOn(view: TurnView, afterSeq: number, readBack: OpenReader["readBack"]) {
  const segment = view.after(afterSeq);
  return segment === undefined ? readBack(afterSeq) : splitFrames(framesAfter(segment, afterSeq), afterSeq + 1);
}

function expired(why: string): FramerailError {
  return new FramerailError("CURSOR_EXPIRED", why);
}
