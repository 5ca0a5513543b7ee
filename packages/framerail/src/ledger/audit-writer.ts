// Writes audit rows behind their callers' backs, many at once, and loses none [R-8-4].
// Owns: the queue, batches, repeats. Does not own: the rows' SQL and their chains (store/audit.ts).
//   W1. Rows of one tenant are written in the order they came, a batch in one transaction; tenants take turns.
//   W2. What the database does not take for reasons of its own is tried AUDIT_TRIES_MAX times. Rows have ids, so a try
//       whose end is unknown does not write them twice.
//   W3. A row that is refused stops only itself: its batch is halved until it is alone.
//   W4. A row that could not be written is handed to `report`, whole. None is dropped in silence.
//   W5. `stop` resolves when every row that came before it is written or reported.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { AuditRow } from "../store/audit.js";
import { insertAuditRows } from "../store/audit.js";
import type { Database } from "../store/database.js";
import { AUDIT_BATCH_MAX, AUDIT_QUEUE_HIGH, AUDIT_QUEUE_MAX, AUDIT_RETRY_MS, AUDIT_TRIES_MAX } from "./limits.js";

export interface UnwrittenRows {
  readonly orgId: string;
  readonly rows: readonly AuditRow[];
  readonly error: unknown;
}

export interface AuditWriterOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Must not throw: there is nobody behind it (W4). */
  report(unwritten: UnwrittenRows): void;
}

export interface AuditWriter {
  /** Throws PACE_EXCEEDED at a caller that goes on without ever waiting for `ready`. */
  add(orgId: string, row: AuditRow): void;
  /** Resolves while the queue is below its mark. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** SQLSTATE classes by which the database says that the row is wrong, not the moment. */
const WRONG_ROW = /^(?:22|23|42)/;

export function createAuditWriter(options: AuditWriterOptions): AuditWriter {
  return new QueuedWriter(options);
}

class QueuedWriter implements AuditWriter {
  readonly #options: AuditWriterOptions;
  /** By tenant. The first in the map is the next to be written. */
  readonly #waiting = new Map<string, AuditRow[]>();
  /** Waiting or being written. */
  #count = 0;
  #blocked: (() => void)[] = [];
  #draining: Promise<void> | undefined;
  #stopped = false;

  constructor(options: AuditWriterOptions) {
    this.#options = options;
  }

  add(orgId: string, row: AuditRow): void {
    if (this.#stopped) throw new FramerailError("INVARIANT_VIOLATION", "an audit row comes after the writer's stop");
    if (this.#count >= AUDIT_QUEUE_MAX) {
      throw new FramerailError("PACE_EXCEEDED", "audit rows come faster than they can be written");
    }
    const rows = this.#waiting.get(orgId);
    if (rows) rows.push(row);
    else this.#waiting.set(orgId, [row]);
    this.#count += 1;
    this.#draining ??= this.#drain();
  }

  ready(): Promise<void> {
    if (this.#count < AUDIT_QUEUE_HIGH) return Promise.resolve();
    return new Promise((resolve) => void this.#blocked.push(resolve));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // What is added in this tick goes into the first batch.
    await Promise.resolve();
    for (let next = this.#takeBatch(); next !== undefined; next = this.#takeBatch()) {
      await this.#write(next.orgId, next.rows);
      this.#count -= next.rows.length;
      this.#wake();
    }
    this.#draining = undefined;
  }

  #takeBatch(): { readonly orgId: string; readonly rows: readonly AuditRow[] } | undefined {
    for (const [orgId, waiting] of this.#waiting) {
      const rows = waiting.splice(0, AUDIT_BATCH_MAX);
      this.#waiting.delete(orgId);
      if (waiting.length > 0) this.#waiting.set(orgId, waiting);
      return { orgId, rows };
    }
    return undefined;
  }

  #wake(): void {
    if (this.#count >= AUDIT_QUEUE_HIGH) return;
    const blocked = this.#blocked;
    this.#blocked = [];
    for (const resolve of blocked) resolve();
  }

  async #write(orgId: string, rows: readonly AuditRow[]): Promise<void> {
    const failure = await this.#try(orgId, rows);
    if (failure === undefined) return;
    if (rows.length === 1 || !isWrongRow(failure.error)) {
      this.#options.report({ orgId, rows, error: failure.error });
      return;
    }
    const half = Math.ceil(rows.length / 2);
    await this.#write(orgId, rows.slice(0, half));
    await this.#write(orgId, rows.slice(half));
  }

  async #try(orgId: string, rows: readonly AuditRow[]): Promise<{ readonly error: unknown } | undefined> {
    const { database, clock } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await database.asTenant(orgId, (sql) => insertAuditRows(sql, rows));
        return undefined;
      } catch (error) {
        if (tries >= AUDIT_TRIES_MAX || isWrongRow(error)) return { error };
      }
      await new Promise<void>((resolve) => void clock.schedule(AUDIT_RETRY_MS * tries, resolve));
    }
  }
}

function isWrongRow(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "PROVENANCE_INVALID" || code === "INVALID_ARGUMENT" || WRONG_ROW.test(String(code));
}
