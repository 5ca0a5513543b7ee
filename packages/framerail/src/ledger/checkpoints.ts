// Keeps an agent's state at the border between two iterations, and gives it back to whoever resumes the session.
// Owns: what a repeat, a difference and an unreadable state mean. Does not own: the bytes (checkpoint-blob.ts), the rows
// (store/checkpoints.ts).
//   C1. A checkpoint that comes again is a success that changes nothing; one that differs from what is stored is refused,
//       and what is stored stays [R-5.2-4, R-5.2-5].
//   C2. A checkpoint and its audit row are written together or not at all. The row's duration is the one returned, so
//       that a histogram shows the same [R-5.2-2].
//   C3. A state that cannot be read is never handed out. By default that blocks the session; where `reset` is chosen the
//       session starts afresh, but its iterations count on: their numbers are taken [I-17].

import { randomUUID } from "node:crypto";
import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { ActionType, AuditRow } from "../store/audit.js";
import { insertAuditRows } from "../store/audit.js";
import type { CheckpointRow, PutResult } from "../store/checkpoints.js";
import { insertCheckpoint, lockSession, readNewestCheckpoint } from "../store/checkpoints.js";
import type { Database } from "../store/database.js";
import { isUuid } from "../store/uuid.js";
import { digestBlob, prependVersion, stripVersion, unreadable } from "./checkpoint-blob.js";

const ITERATION_MAX = 2_147_483_647;

/** What somebody must be woken for. */
export interface CheckpointReport {
  readonly level: "p1";
  readonly code: "CHECKPOINT_DIFFERS" | "CHECKPOINT_UNREADABLE";
  readonly orgId: string;
  readonly sessionId: string;
  readonly loopIteration: number;
  readonly message: string;
}

export interface CheckpointsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId?: () => string;
  report?(report: CheckpointReport): void;
}

/** Because of which action of which turn it happens. */
export interface Because {
  readonly turnId: string;
  readonly parentId: string;
}

export interface CheckpointInput extends Because {
  readonly sessionId: string;
  readonly loopIteration: number;
  /** Opaque, without header. */
  readonly state: Uint8Array;
}

export interface ResumeInput extends Because {
  readonly sessionId: string;
  /** Default: block. */
  readonly onMismatch?: "block" | "reset";
}

/** `loopIteration` is the last that was stored: the next one is above it. `blob` is the state with its header. */
export type Resume =
  | { readonly kind: "first" }
  | {
      readonly kind: "resumed";
      readonly loopIteration: number;
      readonly key: string;
      readonly blob: Uint8Array;
      readonly state: Uint8Array;
    }
  | { readonly kind: "reset"; readonly loopIteration: number };

export interface Checkpoints {
  /** Throws NOT_FOUND, CHECKPOINT_DIFFERS, PROVENANCE_INVALID, INPUT_TOO_LARGE. */
  put(orgId: string, input: CheckpointInput): Promise<PutResult & { readonly durationMs: number }>;
  /** Throws NOT_FOUND, and CHECKPOINT_UNREADABLE where that blocks. */
  readLatest(orgId: string, input: ResumeInput): Promise<Resume>;
}

export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  return {
    put: (orgId, input) => putCheckpoint(options, orgId, input),
    readLatest: (orgId, input) => readLatest(options, orgId, input),
  };
}

async function putCheckpoint(options: CheckpointsOptions, orgId: string, input: CheckpointInput) {
  const { database, clock, report } = options;
  const { sessionId, loopIteration } = input;
  requireIteration(loopIteration);
  const blob = prependVersion(input.state);
  const row = { sessionId, loopIteration, key: `${sessionId}:${loopIteration}`, bytes: blob, sha256: digestBlob(blob) };
  const startedAt = clock.now();
  const result = await database.asTenant(orgId, async (sql) => {
    if (!isUuid(sessionId) || !(await lockSession(sql, sessionId))) throw unknownSession();
    const put = await insertCheckpoint(sql, row);
    // The clock may be set back meanwhile.
    const durationMs = Math.max(0, clock.now() - startedAt);
    const detail = { checkpoint_key: row.key, loop_iteration: loopIteration, bytes: blob.length };
    if (put.inserted)
      await insertAuditRows(sql, [auditRow(options, input, "checkpoint_created", { detail, durationMs })]);
    return { ...put, durationMs };
  });
  if (result.hashMatch) return result;
  const message = "the checkpoint of this iteration is stored with other bytes";
  report?.({ level: "p1", code: "CHECKPOINT_DIFFERS", orgId, sessionId, loopIteration, message });
  throw new FramerailError("CHECKPOINT_DIFFERS", message);
}

async function readLatest(options: CheckpointsOptions, orgId: string, input: ResumeInput): Promise<Resume> {
  const { sessionId, onMismatch = "block" } = input;
  const row = await options.database.asTenant(orgId, async (sql) => {
    if (!isUuid(sessionId) || !(await lockSession(sql, sessionId))) throw unknownSession();
    return readNewestCheckpoint(sql, sessionId);
  });
  if (row === undefined) return { kind: "first" };
  const { loopIteration, key, bytes: blob } = row;
  try {
    return { kind: "resumed", loopIteration, key, blob, state: readState(row) };
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    const { message } = error;
    options.report?.({ level: "p1", code: "CHECKPOINT_UNREADABLE", orgId, sessionId, loopIteration, message });
    if (onMismatch === "block") throw error;
    const detail = { checkpoint_key: key, loop_iteration: loopIteration, reason: message };
    const reset = auditRow(options, input, "session_reset", { detail, durationMs: null });
    await options.database.asTenant(orgId, (sql) => insertAuditRows(sql, [reset]));
    return { kind: "reset", loopIteration };
  }
}

function readState({ bytes, sha256 }: CheckpointRow): Uint8Array {
  if (digestBlob(bytes) !== sha256) throw unreadable("its bytes are not those that were stored");
  return stripVersion(bytes);
}

function auditRow(
  { newId = randomUUID }: CheckpointsOptions,
  { sessionId, turnId, parentId }: Because & { readonly sessionId: string },
  actionType: ActionType,
  rest: Pick<AuditRow, "detail" | "durationMs">,
): AuditRow {
  return { id: newId(), sessionId, turnId, parentId, actionType, occurredAt: null, ...rest };
}

function requireIteration(loopIteration: number): void {
  if (Number.isInteger(loopIteration) && loopIteration >= 0 && loopIteration <= ITERATION_MAX) return;
  throw new FramerailError("INVALID_ARGUMENT", `an iteration is a whole number from 0 to ${ITERATION_MAX}`);
}

function unknownSession(): FramerailError {
  return new FramerailError("NOT_FOUND", "there is no such session");
}
