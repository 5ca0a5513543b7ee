// Who is alive, by the database's clock, and turns whose owner is not [D-3].
// Owns: one lease per process, and handing orphans to a new owner. Does not own: sealing them (dispatch/).
//   L1. No process's own clock decides: expiry is set and judged in the database.
//   L2. An orphan is given to exactly one new owner, with a higher epoch: whatever the old one still sends is refused.
//   L3. Who asks is alive: its own turns are orphans only where it says so, however late it is to renew its lease.

import type { Database } from "./database.js";

const RENEW = `insert into leases (owner, expires_at) values ($1, clock_timestamp() + make_interval(secs => $2 / 1000.0))
  on conflict (owner) do update set expires_at = excluded.expires_at`;

/** Takes or renews the process's lease. */
export async function renewLease(database: Database, owner: string, ttlMs: number): Promise<void> {
  await database.asSystem({ text: RENEW, values: [owner, ttlMs] });
}

/** Whether others have left something to do. */
export interface Left {
  /** Turns that nobody runs: `claimOrphans`. */
  readonly orphans: boolean;
  /** Processes that are gone since lately, and may have ended turns and not told it: `listLastEnds`. */
  readonly gone: boolean;
}

export interface LeaseRound {
  readonly owner: string;
  readonly ttlMs: number;
  /** How long a process is looked after when it is gone. */
  readonly goneMsMax: number;
}

/** Renews the lease, and looks around in the same statement: this is what a process does all its life. */
export async function renewAndLook(database: Database, { owner, ttlMs, goneMsMax }: LeaseRound): Promise<Left> {
  const [left] = await database.asSystem<Left>({
    text: `with renewed as (${RENEW}) select
      exists (select from turns o where is_open and owner <> $1 and not exists
        (select from leases l where l.owner = o.owner and l.expires_at > clock_timestamp())) as orphans,
      exists (select from leases where owner <> $1
        and expires_at between clock_timestamp() - make_interval(secs => $3 / 1000.0) and clock_timestamp()) as gone`,
    values: [owner, ttlMs, goneMsMax],
  });
  return left ?? { orphans: true, gone: true };
}

export async function dropLease(database: Database, owner: string): Promise<void> {
  await database.asSystem({ text: "delete from leases where owner = $1", values: [owner] });
}

export interface Orphan {
  readonly org_id: string;
  readonly turn_id: string;
  readonly session_id: string;
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly user_id: string;
  /** A turn that was never accepted is refused, not sealed. */
  readonly status: "dispatching" | "running";
  /** The new owner's. */
  readonly epoch: number;
  readonly created_at: number;
}

export interface OrphanClaim {
  readonly owner: string;
  readonly max: number;
  /** Turns of `owner` itself that it could not bring to an end. */
  readonly abandoned?: readonly string[];
}

/** Makes `owner` the owner, anew, of turns that nobody runs, oldest first. */
export function claimOrphans(database: Database, { owner, max, abandoned = [] }: OrphanClaim): Promise<Orphan[]> {
  return database.asSystem<Orphan>({
    text: `with orphans as (
        select org_id, id from turns o
          where is_open and (
            case when o.owner = $1 then o.id = any ($3::uuid[])
            else not exists (select from leases l where l.owner = o.owner and l.expires_at > clock_timestamp()) end)
          order by created_at limit $2 for update skip locked
      ) update turns t set owner = $1, epoch = t.epoch + 1 from orphans
        where t.org_id = orphans.org_id and t.id = orphans.id
        returning t.org_id, t.id as turn_id, t.session_id, t.conversation_id, t.agent_id, t.user_id, t.status, t.epoch,
          t.created_at`,
    values: [owner, max, [...abandoned]],
  });
}

/** Those of the turns that have not ended, whoever owns them. */
export async function listOpenTurns(database: Database, turnIds: readonly string[]): Promise<readonly string[]> {
  const rows = await database.asSystem<{ id: string }>({
    text: "select id from turns where id = any ($1::uuid[]) and is_open",
    values: [[...turnIds]],
  });
  return rows.map(({ id }) => id);
}

export interface LastEnd {
  readonly org_id: string;
  readonly turn_id: string;
  readonly epoch: number;
}

export interface LastEndsRequest {
  /** Turns to look at, whoever ended them. */
  readonly asked: readonly string[];
  /** How long a process is looked after when it is gone. */
  readonly goneMsMax: number;
  readonly max: number;
}

/** Turns that have ended here, and perhaps not in the log: those asked for, and the last ones of processes gone lately. */
export function listLastEnds(database: Database, { asked, goneMsMax, max }: LastEndsRequest): Promise<LastEnd[]> {
  return database.asSystem<LastEnd>({
    text: `select org_id, id as turn_id, epoch from turns where status = 'ended' and id = any ($1::uuid[])
      union select t.* from leases l cross join lateral (
        select org_id, id as turn_id, epoch from turns
          where status = 'ended' and owner = l.owner and ended_at > l.expires_at - make_interval(secs => $2 / 1000.0)
          order by ended_at desc limit $3) t
        where l.expires_at between clock_timestamp() - make_interval(secs => $2 / 1000.0) and clock_timestamp()`,
    values: [[...asked], goneMsMax, max],
  });
}

/** Ends every lease: for a process that is certain to be alone with the database. */
export async function dropLeases(database: Database): Promise<void> {
  await database.asSystem({ text: "delete from leases" });
}

/** Takes away leases that ended long ago, of processes that will not come back. */
export async function dropOldLeases(database: Database, ageHours: number): Promise<void> {
  await database.asSystem({
    text: "delete from leases where expires_at < clock_timestamp() - make_interval(hours => $1)",
    values: [ageHours],
  });
}
