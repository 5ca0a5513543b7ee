// Keeps this process alive in the eyes of the others, and ends the turns of those that are not [D-3, G1].
//   1. renew the lease, and look in the same statement whether there is anything else to do: mostly there is not;
//   2. claim turns that nobody runs: of processes that are gone, and of this one where it could not end them;
//   3. seal each: its end into the store, then into the log, where its readers wait.
// Owns: that round, every LEASE_RENEW_MS. Does not own: how a turn is sealed (seal-orphan.ts).
//   O1. A turn that could not be sealed is tried again in the next round: it is this process's now.
//   O2. A round that fails costs nothing but the round; operators hear of it.
//   O3. While the database was away nobody could renew a lease. When it is back, the others get a round to do so, before
//       anybody takes them for dead.
//   O4. An end that was stored and not told is told (tell-ends.ts).
//   O5. A process that is alone with its store has nobody to be alive for. It asks the store only where there is something to
//       seal: a laptop's program that nobody talks to does nothing.

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import type { TurnLog } from "../log/turn-log.js";
import type { Database } from "../store/database.js";
import type { StoredFrame } from "../store/frame-segment.js";
import type { Orphan } from "../store/leases.js";
import { claimOrphans, dropLease, listOpenTurns, renewAndLook, renewLease } from "../store/leases.js";
import { GONE_MS_MAX, LEASE_MS, LEASE_RENEW_MS, ORPHANS_MAX } from "./limits.js";
import { sealOrphan } from "./seal-orphan.js";
import type { EndTeller } from "./tell-ends.js";
import { createEndTeller, endLog } from "./tell-ends.js";

export interface SealTurnsOptions {
  readonly database: Database;
  readonly log: TurnLog;
  readonly clock: Clock;
  readonly owner: string;
  /** Turns that this process could not bring to an end; they are taken from the set as they are sealed. */
  readonly abandoned: Set<string>;
  /** No other process can have the store (O5). */
  readonly isAlone?: boolean;
  newId(): string;
  report?(report: SealReport): void;
}

export type SealReport =
  | { readonly kind: "sealed"; readonly turnId: string }
  | { readonly kind: "seal_failed"; readonly turnId: string; readonly error: unknown }
  | { readonly kind: "round_failed"; readonly error: unknown };

export interface TurnSealer {
  /** Does a round now, and resolves when it is done. */
  round(): Promise<void>;
  /** Ends the rounds and the lease. */
  close(): Promise<void>;
}

/** The first round is made before it resolves: from then on this process is known to be alive. */
export async function startSealing(options: SealTurnsOptions): Promise<TurnSealer> {
  const sealer = new Sealer(options);
  await renewLease(options.database, options.owner, LEASE_MS);
  await sealer.round();
  sealer.goOn();
  return sealer;
}

class Sealer implements TurnSealer {
  readonly #options: SealTurnsOptions;
  readonly #failed = new Map<string, Orphan>();
  readonly #ends: EndTeller;
  /** When the database did a round's work last. */
  #answeredAt = Number.POSITIVE_INFINITY;
  #renewedAt = 0;
  #cancel: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The last round found everything, and sealed it. */
  #isDone = false;
  #closed = false;

  constructor(options: SealTurnsOptions) {
    this.#options = options;
    const { database, log, report } = options;
    this.#ends = createEndTeller({
      database,
      log,
      report: (turnId, error) => report?.({ kind: "seal_failed", turnId, error }),
    });
  }

  goOn(): void {
    if (this.#closed) return;
    this.#cancel = this.#options.clock.schedule(LEASE_RENEW_MS, () => {
      if (this.#mayRest()) this.goOn();
      else void this.round().finally(() => this.goOn());
    });
  }

  // O5
  #mayRest(): boolean {
    const { isAlone, abandoned, clock } = this.#options;
    if (!isAlone || !this.#isDone || abandoned.size > 0 || this.#failed.size > 0) return false;
    this.#answeredAt = clock.now();
    return true;
  }

  round(): Promise<void> {
    this.#running = this.#running.then(() => this.#round());
    return this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#running;
    const { database, owner, report } = this.#options;
    // A database that is away lets the lease run out by itself.
    await dropLease(database, owner).catch((error: unknown) => report?.({ kind: "round_failed", error }));
  }

  // O2
  async #round(): Promise<void> {
    const { database, owner, clock, abandoned, report } = this.#options;
    this.#isDone = false;
    try {
      const left = await renewAndLook(database, { owner, ttlMs: LEASE_MS, goneMsMax: GONE_MS_MAX });
      this.#renewedAt = clock.now();
      const wasAway = this.#renewedAt - this.#answeredAt > LEASE_MS;
      this.#answeredAt = this.#renewedAt;
      const failed = [...this.#failed.values()];
      await this.#sealAll(failed);
      // O3
      if (wasAway) return;
      // Where sealing took a while, what was seen before it says nothing any more.
      if (left.orphans || abandoned.size > 0 || failed.length > 0) await this.#sealOrphans();
      if (left.gone || abandoned.size > 0) await this.#dropUnknown(await this.#ends.round(abandoned));
      this.#isDone = true;
    } catch (error) {
      report?.({ kind: "round_failed", error });
    }
  }

  async #sealOrphans(): Promise<void> {
    const { database, owner, clock, abandoned } = this.#options;
    for (let more = true; more; ) {
      const claimed = await claimOrphans(database, { owner, max: ORPHANS_MAX, abandoned: [...abandoned] });
      await this.#sealAll(claimed);
      this.#answeredAt = clock.now();
      more = claimed.length === ORPHANS_MAX;
    }
  }

  /** A claim whose answer was lost may never have been made: then there is nothing to seal. */
  async #dropUnknown(untold: ReadonlySet<string>): Promise<void> {
    const { database, abandoned } = this.#options;
    const asked = [...abandoned];
    if (asked.length === 0) return;
    const open = new Set(await listOpenTurns(database, asked));
    for (const turnId of asked) if (!open.has(turnId) && !untold.has(turnId)) abandoned.delete(turnId);
  }

  /** However many there are, the lease does not run out meanwhile. */
  async #sealAll(orphans: readonly Orphan[]): Promise<void> {
    for (const orphan of orphans) {
      if (this.#options.clock.now() - this.#renewedAt >= LEASE_RENEW_MS) await this.#renew();
      await this.#seal(orphan);
    }
  }

  async #renew(): Promise<void> {
    const { database, owner, clock } = this.#options;
    await renewLease(database, owner, LEASE_MS);
    this.#renewedAt = clock.now();
  }

  async #seal(orphan: Orphan): Promise<void> {
    const { database, log, clock, newId, abandoned, report } = this.#options;
    const turnId = orphan.turn_id;
    try {
      // Its owner may live and only seem dead. What is taken from it is all that anybody will ever see of the turn.
      const readLog = () => log.takeOver({ orgId: orphan.org_id, turnId, epoch: orphan.epoch });
      const closing = await sealOrphan(orphan, { database, clock, newId, readLog });
      abandoned.delete(turnId);
      this.#failed.delete(turnId);
      await this.#endLog(orphan, closing);
      report?.({ kind: "sealed", turnId });
    } catch (error) {
      report?.({ kind: "seal_failed", turnId, error });
      // O1. One that is another's now, or has ended, is nothing to try again.
      if (!isFramerailError(error) || error.code !== "STALE_EPOCH") {
        this.#failed.set(turnId, orphan);
        return;
      }
      abandoned.delete(turnId);
      this.#failed.delete(turnId);
    }
  }

  /** The store has the end already: a log that cannot take it now gets it later (O4). */
  async #endLog({ org_id: orgId, turn_id: turnId, epoch }: Orphan, closing: readonly StoredFrame[]): Promise<void> {
    const { log, abandoned, report } = this.#options;
    await endLog(log, { orgId, turnId, epoch }, closing).catch((error: unknown) => {
      abandoned.add(turnId);
      report?.({ kind: "seal_failed", turnId, error });
    });
  }
}
