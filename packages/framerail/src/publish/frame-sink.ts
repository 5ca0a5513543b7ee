// Where the frames of a turn go: the log's side of the border. Encoded once; these bytes are stored and sent.

import type { FrameType } from "@framerail/protocol";

export interface EncodedFrame {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly type: FrameType;
  /** The whole SSE event; its NDJSON line is a slice of it. */
  readonly sse: string;
}

export interface FrameSink {
  append(frame: EncodedFrame): void;
  /** Bytes appended that the log has not taken yet. */
  readonly backlogBytes: number;
  /** Resolves when the backlog is below its mark; at once while it is. */
  ready(): Promise<void>;
}
