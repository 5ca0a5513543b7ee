// One turn as an application holds it: frames to iterate, a state to show, promises of its end, and three verbs [G5].
// Owns: the words. Does not own: how they come true (live-turn.ts).

import type { AssistantMessage, Frame, FramerailError } from "@framerail/protocol";
import type { ConnectionState } from "./connection-state.js";
import type { TurnEnd } from "./documents.js";
import type { TranscriptView } from "./transcript.js";

/** Everything a screen needs, at one moment. The same object until something changes. */
export interface TurnState extends TranscriptView {
  readonly turnId: string | undefined;
  readonly connection: ConnectionState;
  /** How often the turn began again from its first frame. */
  readonly resets: number;
  readonly outcome: TurnEnd | undefined;
  /** Why this client gave up. The turn itself may be running. */
  readonly failure: FramerailError | undefined;
}

export interface Turn extends AsyncIterable<Frame> {
  /** Undefined until the server has answered. */
  readonly turnId: string | undefined;
  /** Where another reader would go on: `client.turn(turnId, { after: cursor })`. */
  readonly cursor: string | undefined;
  readonly state: TurnState;
  /** The whole answer, or what there is of one that failed or was cancelled; asked for where only the rest was read. */
  readonly text: Promise<string>;
  /** The answer as history keeps it, tools' arguments and results included. Asked for when first looked at. */
  readonly message: Promise<AssistantMessage | null>;
  readonly outcome: Promise<TurnEnd>;
  /** Called after every change; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  /** Stops reading, for good. The turn runs on; `client.turn` reads it again. */
  detach(): void;
  /** Stops the turn, and resolves when it has ended; also after a detach or a failure. */
  cancel(): Promise<TurnEnd>;
  approve(approvalId: string, decision: { readonly approved: boolean; readonly note?: string }): Promise<void>;
}
