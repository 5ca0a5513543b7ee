// What is recorded of a run: what every client got, what the database has afterwards, what the model was asked.
// Owns: the shape. Does not own: reading it (load-history.ts), judging it (check-history.ts).

import type { ModelCallLog } from "../harness/fake-model.js";
import type { ClientRecord } from "../harness/turn-client.js";

export interface History {
  readonly turns: readonly StoredTurn[];
  readonly clients: readonly ClientRecord[];
  readonly modelCalls: readonly ModelCallLog[];
  /** Turns of which a client was told by a status of 2xx that they were taken. */
  readonly accepted: readonly string[];
  /** Cancels of turns that were running, and when they were asked for, on the clock of the model's log. */
  readonly cancels: readonly { readonly turnId: string; readonly at: number }[];
  readonly processes?: readonly ProcessRecord[];
}

/** What a process held, before its first turn and some time after its last. */
export interface ProcessRecord {
  readonly socketsBefore: number;
  readonly socketsAfter: number;
  /** Connections to services, which are kept. */
  readonly socketsKeptMax: number;
  readonly rssBytesMax: number;
  readonly rssBytesAllowed: number;
}

/** A turn as its rows say it. */
export interface StoredTurn {
  readonly orgId: string;
  readonly turnId: string;
  readonly sessionId: string;
  readonly conversationId: string;
  readonly status: string;
  readonly epoch: number;
  readonly outcome: { readonly kind: string } | null;
  readonly lastSeq: number;
  /** The terminal frame's bytes. */
  readonly terminal: string | null;
  readonly segments: readonly StoredSegment[];
  readonly messages: readonly StoredMessage[];
  readonly usage: readonly { readonly call: number; readonly estimated: boolean }[];
  readonly journal: readonly { readonly epoch: number; readonly position: number; readonly type: string }[];
  readonly audit: readonly { readonly id: string; readonly actionType: string; readonly chain: readonly unknown[] }[];
  /** Tokens that are still held for it. */
  readonly reservedTokens: number;
}

export interface StoredSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Unpacked. */
  readonly sse: string;
}

export interface StoredMessage {
  readonly role: string;
  /** All its text. */
  readonly text: string;
  readonly incomplete: boolean;
}

/** Which of the invariants is broken, where, and how. */
export interface Violation {
  readonly invariant: string;
  readonly turnId: string | undefined;
  readonly says: string;
}
