// Who is alive, by the database's clock, and turns whose owner is not [D-3].
// Owns: one lease per process, and handing orphans to a new owner. Does not own: sealing them (dispatch/).
//   L1. No process's own clock decides: expiry is set and judged in the database.
//   L2. An orphan is given to exactly one new owner, with a higher epoch: whatever the old one still sends is refused.

import type { Database } from "./database.js";

/** Takes or renews the process's lease. */
export async function renewLease(database: Database, owner: string, ttlMs: number): Promise<void> {
  await database.asSystem({
    text: `insert into leases (owner, expires_at) values ($1, clock_timestamp() + make_interval(secs => $2 / 1000.0))
      on conflict (owner) do update set expires_at = excluded.expires_at`,
    values: [owner, ttlMs],
  });
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

/** Makes `owner` the owner of turns whose process is gone, oldest first, at most `max`. */
export function claimOrphans(database: Database, owner: string, max: number): Promise<Orphan[]> {
  return database.asSystem<Orphan>({
    text: `with orphans as (
        select org_id, id from turns o
          where status in ('dispatching', 'running') and not exists (
            select from leases l where l.owner = o.owner and l.expires_at > clock_timestamp())
          order by created_at limit $2 for update skip locked
      ) update turns t set owner = $1, epoch = t.epoch + 1 from orphans
        where t.org_id = orphans.org_id and t.id = orphans.id
        returning t.org_id, t.id as turn_id, t.session_id, t.conversation_id, t.agent_id, t.user_id, t.status, t.epoch,
          t.created_at`,
    values: [owner, max],
  });
}

/** Takes away leases that ended long ago, of processes that will not come back. */
export async function dropOldLeases(database: Database, ageHours: number): Promise<void> {
  await database.asSystem({
    text: "delete from leases where expires_at < clock_timestamp() - make_interval(hours => $1)",
    values: [ageHours],
  });
}
