// Where the frames of a turn go: the log's side of the border. Encoded once; these bytes are stored and sent.

import type { FrameRoom, FrameType } from "@framerail/protocol";

/** A frame as it is kept and sent. */
export interface LoggedFrame {
  /** From 1, without gaps. */
  readonly seq: number;
  /** The whole SSE event; its NDJSON line is a slice of it. */
  readonly sse: string;
}

export interface EncodedFrame extends LoggedFrame {
  readonly type: FrameType;
}

export interface FrameSink {
  append(frame: EncodedFrame): void;
  /**
   * Room for a frame of at most `bytesMax`, which is then appended by `commit`: for the frame of every token, which becomes
   * bytes where it is kept. A sink without it takes frames as text alone.
   */
  claim?(bytesMax: number): FrameRoom;
  /** Appends the frame whose `size` bytes stand in the room that was claimed last. */
  commit?(seq: number, size: number): void;
  /** Appends the terminal, after which nothing comes. Resolves when readers may have it. */
  seal(terminal: EncodedFrame): Promise<void>;
  /** Bytes appended that the log has not taken yet. */
  readonly backlogBytes: number;
  /** Resolves when the backlog is below its mark; at once while it is. */
  ready(): Promise<void>;
}
