// The quick look at a budget when a message comes in: a counter from the store that is at most BUDGET_REFRESH_MS old, so
// that a tenant without budget costs the database nothing [R-6-8].
// Owns: what is cached and for how long. Does not own: the exact books, which every model call asks (budgets.ts).
//   C1. While a counter is fresh, the store is not asked again, whatever it says.
//   C2. Many who ask for one counter at the same time cause one question.
//   C3. A question that fails is not remembered: the next one is asked.

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { BUDGET_CACHE_MAX, BUDGET_REFRESH_MS } from "./limits.js";

export interface BudgetCacheOptions {
  readonly clock: Clock;
  /** Asks the store whether there is room: `hasRoom` of budgets.ts. */
  hasRoom(orgId: string, agentId: string): Promise<boolean>;
}

export interface BudgetCache {
  /** Throws BUDGET_EXHAUSTED when a budget of the tenant or of the agent is used up. */
  requireRoom(orgId: string, agentId: string): Promise<void>;
  /** After a budget was changed or found used up: the next look asks the store. */
  forget(orgId: string): void;
}

interface Counter {
  readonly orgId: string;
  readonly loadedAt: number;
  readonly room: Promise<boolean>;
}

export function createBudgetCache({ clock, hasRoom }: BudgetCacheOptions): BudgetCache {
  const counters = new Map<string, Counter>();

  function load(key: string, orgId: string, agentId: string): Counter {
    const counter = { orgId, loadedAt: clock.now(), room: hasRoom(orgId, agentId) };
    // C3. Heard by whoever asked, who holds the same promise.
    counter.room.catch(() => counters.get(key) === counter && counters.delete(key));
    return counter;
  }

  return {
    async requireRoom(orgId, agentId) {
      const key = JSON.stringify([orgId, agentId]);
      const known = counters.get(key);
      const counter = known && isFresh(known, clock.now()) ? known : load(key, orgId, agentId);
      // Set anew, so that the first of the map is the one that was asked for longest ago.
      counters.delete(key);
      counters.set(key, counter);
      if (counters.size > BUDGET_CACHE_MAX) counters.delete(counters.keys().next().value as string);
      if (!(await counter.room)) throw new FramerailError("BUDGET_EXHAUSTED", "the budget of this period is used up");
    },
    forget(orgId) {
      for (const [key, counter] of counters) if (counter.orgId === orgId) counters.delete(key);
    },
  };
}

/** A clock that was set back makes a counter stale rather than young for ever. */
function isFresh({ loadedAt }: Counter, now: number): boolean {
  return now >= loadedAt && now - loadedAt < BUDGET_REFRESH_MS;
}
