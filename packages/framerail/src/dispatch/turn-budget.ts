// The budget of one turn's model calls, and what becomes of a session that has used its budget up [D-16, G9].
// Owns: reserving before a call, settling after it, suspending and waking sessions. Does not own: the books
// (ledger/budgets.ts).
//   B1. With nothing left a call waits a short while for what others may give back; then it is not made, its turn pauses,
//       and its session is suspended, never ended [R-EC-6].
//   B2. A suspended session takes messages again when there is room: a new period, or a higher limit [R-GAP-4].
//   B3. A call that cannot be settled is no reason for a turn to fail: it is settled as it was estimated, when the turn ends.
//   B4. A database that is away is waited for, as at a turn's end [D-4]: an answer must not fail because it cannot be counted.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import { hasRoom, reserve, settle, settleTurn } from "../ledger/budgets.js";
import { reserveWithin } from "../ledger/reserve-within.js";
import type { Database } from "../store/database.js";
import type { SessionOf } from "../store/sessions.js";
import { readSession, setSessionStatus } from "../store/sessions.js";
import { WORTH_ASKING_AGAIN } from "./commit-end.js";
import { COMMIT_MS_MAX, COMMIT_RETRY_MS } from "./limits.js";
import type { CallBudget } from "./step-runner.js";

export interface TurnBudgetOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly orgId: string;
  readonly turnId: string;
  readonly sessionId: string;
  readonly agentId: string;
  report?(error: unknown): void;
}

export interface TurnBudget extends CallBudget {
  /** Settles what could not be settled before (B3). */
  close(): Promise<void>;
}

export function createTurnBudget({ database, clock, orgId, report, ...turn }: TurnBudgetOptions): TurnBudget {
  const { turnId, agentId, sessionId } = turn;
  let isUnsettled = false;
  return {
    async close() {
      if (isUnsettled) await database.asTenant(orgId, (sql) => settleTurn(sql, turnId));
    },
    async reserve(estimateTokens, signal) {
      const attempt = () => reserve(database, orgId, { agentId, turnId, estimateTokens });
      const result = await reserveWithin(() => whileAway(attempt, clock, signal), { clock, signal });
      if (result.kind === "granted") {
        const { reservationId } = result;
        return async (usedTokens) => {
          try {
            await settle(database, orgId, { reservationId, usedTokens });
          } catch (error) {
            isUnsettled = true;
            report?.(error);
          }
        };
      }
      // B1
      await database.asTenant(orgId, (sql) => setSessionStatus(sql, { sessionId, userId: undefined }, "suspended"));
      throw exhausted();
    },
  };
}

/** Makes a suspended session active when there is room again; throws BUDGET_EXHAUSTED when there is none (B2). */
export async function wakeSession(database: Database, orgId: string, session: SessionOf): Promise<void> {
  const { status, agentId } = await database.asTenant(orgId, (sql) => readSession(sql, session));
  if (status !== "suspended") return;
  if (!(await hasRoom(database, orgId, { agentId }))) throw exhausted();
  await database.asTenant(orgId, (sql) => setSessionStatus(sql, session, "active"));
}

// B4
async function whileAway<T>(attempt: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += COMMIT_RETRY_MS) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const isAway = isFramerailError(error) && WORTH_ASKING_AGAIN.has(error.code);
      if (!isAway || waitedMs >= COMMIT_MS_MAX) throw error;
    }
    await new Promise<void>((resolve) => void clock.schedule(COMMIT_RETRY_MS, resolve));
  }
}

function exhausted(): FramerailError {
  return new FramerailError("BUDGET_EXHAUSTED", "the budget has nothing left");
}
