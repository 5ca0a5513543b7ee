// The budget of one turn's model calls, and what becomes of a session that has used its budget up [D-16, G9].
// Owns: noting and reserving before a call, settling after it, suspending and waking sessions. Does not own: the books
// (ledger/budgets.ts), the rows that calls become (ledger/turn-calls.ts).
//   B1. With nothing left a call waits a short while for what others may give back; then it is not made, its turn pauses,
//       and its session is suspended, never ended [R-EC-6].
//   B2. A suspended session takes messages again when there is room: a new period, or a higher limit [R-GAP-4].
//   B3. A call that cannot be settled is no reason for a turn to fail: it is settled as it was estimated, when the turn ends.
//   B4. A database that is away is waited for, as at a turn's end [D-4]: an answer must not fail because it cannot be counted.
//   B5. No call is made that is not noted, so that a process that dies has told of it. A turn that is another's by now makes
//       none [D-3].

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { BeginCallInput } from "../ledger/begin-call.js";
import { beginCall } from "../ledger/begin-call.js";
import { hasRoom, settle, settleTurn } from "../ledger/budgets.js";
import { reserveWithin } from "../ledger/reserve-within.js";
import type { TurnCalls } from "../ledger/turn-calls.js";
import type { Database } from "../store/database.js";
import type { OpenCall } from "../store/open-calls.js";
import type { SessionOf } from "../store/sessions.js";
import { readSession, setSessionStatus, suspendSession } from "../store/sessions.js";
import type { CallBudget, PlannedCall } from "./step-runner.js";
import { whileAway } from "./while-away.js";

export interface TurnBudgetOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly turn: {
    readonly orgId: string;
    readonly turnId: string;
    readonly epoch: number;
    readonly sessionId: string;
  };
  readonly agentId: string;
  /** The turn's, which its end accounts for. */
  readonly calls: TurnCalls;
  newId(): string;
  report?(error: unknown): void;
}

export interface TurnBudget extends CallBudget {
  /** Settles what could not be settled before (B3). */
  close(): Promise<void>;
}

export function createTurnBudget(options: TurnBudgetOptions): TurnBudget {
  return new Budget(options);
}

class Budget implements TurnBudget {
  readonly #options: TurnBudgetOptions;
  /** Reservations that are held, or may be. */
  readonly #unsettled: string[] = [];
  #isBudgeted = false;
  /** Calls that may not be made yet: an end that comes first leaves them out. */
  readonly #beginning = new Set<OpenCall>();
  #isClosed = false;

  constructor(options: TurnBudgetOptions) {
    this.#options = options;
  }

  async reserve(planned: PlannedCall, signal: AbortSignal): Promise<(usedTokens: number | undefined) => Promise<void>> {
    const { calls, clock, newId } = this.#options;
    const call = calls.begin(planned, clock.now());
    const reservationId = newId();
    this.#unsettled.push(reservationId);
    this.#beginning.add(call);
    try {
      const estimateTokens = planned.inputTokens + planned.outputTokens;
      const { held } = await this.#begin(call, { reservationId, estimateTokens }, signal);
      if (!held) this.#settled(reservationId);
      if (this.#isClosed) {
        await this.#settle(call, reservationId, undefined);
        throw new FramerailError("CANCELLED", "the turn ended before the call was made");
      }
    } catch (error) {
      calls.withdraw(call);
      throw error;
    } finally {
      this.#beginning.delete(call);
    }
    return (usedTokens) => this.#settle(call, reservationId, usedTokens);
  }

  async close(): Promise<void> {
    const { database, turn, clock, calls } = this.#options;
    this.#isClosed = true;
    for (const call of this.#beginning) calls.withdraw(call);
    if (this.#unsettled.length === 0) return;
    await whileAway(() => database.asTenant(turn.orgId, (sql) => settleTurn(sql, turn.turnId)), clock);
  }

  async #begin(call: OpenCall, asked: Pick<BeginCallInput, "estimateTokens" | "reservationId">, signal: AbortSignal) {
    const { database, clock, turn, agentId } = this.#options;
    const { orgId, turnId, epoch, sessionId } = turn;
    const note = { turnId, epoch, call };
    const attempt = async () => {
      const begun = await beginCall(database, orgId, {
        ...asked,
        agentId,
        turnId,
        note,
        isBudgeted: this.#isBudgeted,
      });
      this.#isBudgeted = begun.kind === "exhausted" || begun.held;
      return begun;
    };
    // B4
    const result = await reserveWithin(() => whileAway(attempt, clock, signal), { clock, signal });
    if (result.kind === "granted") return result;
    // B1
    await database.asTenant(orgId, (sql) => suspendSession(sql, { sessionId, userId: undefined }));
    throw exhausted();
  }

  async #settle(call: OpenCall, reservationId: string, usedTokens: number | undefined): Promise<void> {
    const { database, turn, calls, report } = this.#options;
    if (usedTokens === undefined) calls.withdraw(call);
    if (!this.#unsettled.includes(reservationId)) return;
    try {
      await settle(database, turn.orgId, { reservationId, usedTokens: usedTokens ?? 0 });
      this.#settled(reservationId);
    } catch (error) {
      report?.(error);
    }
  }

  #settled(reservationId: string): void {
    const index = this.#unsettled.indexOf(reservationId);
    if (index >= 0) this.#unsettled.splice(index, 1);
  }
}

/** Makes a suspended session active when there is room again; throws BUDGET_EXHAUSTED when there is none (B2). */
export async function wakeSession(database: Database, orgId: string, session: SessionOf): Promise<void> {
  const { status, agentId } = await database.asTenant(orgId, (sql) => readSession(sql, session));
  if (status !== "suspended") return;
  if (!(await hasRoom(database, orgId, { agentId }))) throw exhausted();
  await database.asTenant(orgId, (sql) => setSessionStatus(sql, session, "active"));
}

function exhausted(): FramerailError {
  return new FramerailError("BUDGET_EXHAUSTED", "the budget has nothing left");
}
