// Budgets of tokens, for a tenant and for each of its agents. Where both are set, both count [I-15].
// Owns: what a call may use, when a mark is audited, when there is room again. Does not own: the books
// (store/budgets.ts), stopping turns and suspending sessions (whoever asked), the quick look beforehand (budget-cache.ts).
//   G1. Nothing is granted unless every budget has something left, and never more than each has left [D-16].
//   G2. The books hold back the whole estimate, also where less was granted. So with calls that keep to their estimates,
//       used and held together are over the limit by less than one call, whatever runs at the same time [G9].
//   G3. A call counts for the period in which it was reserved.
//   G4. Each mark is audited once a period: the books are held while it is looked at [R-EC-6].
//   G5. A reservation whose answer was lost is looked for, and one that is asked for again under its id is held once: held by
//       nobody, it would be missing until the period ends.

import { randomUUID } from "node:crypto";
import { FramerailError } from "@framerail/protocol";
import type { AuditRow } from "../store/audit.js";
import { findRoot, insertAuditRows, invalidProvenance } from "../store/audit.js";
import type { Budget, BudgetBooks, BudgetPeriod } from "../store/budgets.js";
import {
  BUDGET_PERIODS,
  hasReservation,
  insertReservation,
  lockBooks,
  markAudited,
  readBooks,
  settleOpenReservations,
  settleReservation,
  upsertBudget,
} from "../store/budgets.js";
import type { Database } from "../store/database.js";
import type { CallNote } from "../store/open-calls.js";
import { noteCall } from "../store/open-calls.js";
import { readBack } from "../store/read-back.js";
import type { Sql } from "../store/sql.js";
import { isUuid } from "../store/uuid.js";
import { isSpent, thresholdsReached } from "./thresholds.js";

const AGENT_ID_LENGTH_MAX = 256;

export interface BudgetInput {
  /** Null: the whole tenant's. */
  readonly agentId: string | null;
  readonly tokenLimit: number;
  readonly period: BudgetPeriod;
  /** For who knows better than the database which time it is; in what follows, too. */
  readonly at?: number;
}

export interface ReserveInput {
  readonly agentId: string;
  readonly turnId: string;
  /** What the call uses at most: its prompt and the longest answer it may give. */
  readonly estimateTokens: number;
  readonly at?: number;
  /** Whoever may have to ask again names what it asks for (G5). */
  readonly reservationId?: string;
  /** The call that it is for, noted in the same commit. */
  readonly note?: CallNote;
}

export type ReserveResult =
  /** `held`: there is something to settle. False where no budget had to be asked. */
  | { readonly kind: "granted"; readonly reservationId: string; readonly granted: number; readonly held: boolean }
  /** `spent`: a budget is used up for its period. Otherwise calls under way hold what is left, and may give some back. */
  | { readonly kind: "exhausted"; readonly budgetId: string; readonly spent: boolean };

export interface SettleInput {
  readonly reservationId: string;
  readonly usedTokens: number;
}

export interface SettleResult {
  /** False where it was settled before, or where no budget had to be asked. */
  readonly settled: boolean;
  /** True when a budget is used up now: the session is to be suspended. */
  readonly spent: boolean;
}

export async function putBudget(database: Database, orgId: string, input: BudgetInput): Promise<void> {
  requireBudget(input);
  const budget: Budget = { id: randomUUID(), ...input };
  await database.asTenant(orgId, (sql) => upsertBudget(sql, budget, input.at));
}

/** All budgets of the tenant, its own first, with what the running period has used. */
export function getBudgets(database: Database, orgId: string, at?: number): Promise<BudgetBooks[]> {
  return database.asTenant(orgId, (sql) => readBooks(sql, undefined, at));
}

/** Whether a session that was suspended for its budget may be active again: a new period, or a higher limit [R-GAP-4]. */
export async function hasRoom(
  database: Database,
  orgId: string,
  { agentId, at }: Pick<ReserveInput, "agentId" | "at">,
): Promise<boolean> {
  const books = await database.asTenant(orgId, (sql) => readBooks(sql, agentId, at));
  return !books.some(isSpent);
}

/** Throws NOT_FOUND where the tenant has no such turn, STALE_EPOCH where a call is noted and the turn is another's. */
export function reserve(database: Database, orgId: string, input: ReserveInput): Promise<ReserveResult> {
  requireTokens(input.estimateTokens, 1, "estimateTokens");
  const id = input.reservationId ?? randomUUID();
  let result: ReserveResult | undefined;
  return readBack(
    () =>
      database.asTenant(orgId, async (sql) => {
        result = await writeReservation(sql, id, input);
        return result;
      }),
    // G5. Who holds the books knows that no commit of before is under way.
    () =>
      database.asTenant(orgId, async (sql) => {
        const books = await lockBooks(sql, input.agentId, input.at);
        // Without budgets only a note was written, and whoever notes can note again.
        const isThere = books.length === 0 ? input.note === undefined : await hasReservation(sql, id);
        return isThere ? result : undefined;
      }),
  );
}

async function writeReservation(sql: Sql, id: string, input: ReserveInput): Promise<ReserveResult> {
  const { agentId, turnId, estimateTokens: tokens, at, note } = input;
  // Sent together: who holds the books sees what was committed before.
  const [books, isHeld] = await Promise.all([
    lockBooks(sql, agentId, at),
    input.reservationId !== undefined && hasReservation(sql, id),
  ]);
  if (books.length === 0) {
    if (note !== undefined) await noteCall(sql, note);
    return { kind: "granted", reservationId: id, granted: tokens, held: false };
  }
  const tightest = books.reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a));
  // What is left lacks its own share.
  if (isHeld)
    return { kind: "granted", reservationId: id, granted: Math.min(tokens, leftOf(tightest) + tokens), held: true };
  if (leftOf(tightest) <= 0) {
    // A limit may have been lowered since the last call: then nobody has told yet that it is reached.
    await auditMarks(sql, turnId, books);
    return { kind: "exhausted", budgetId: tightest.id, spent: books.some(isSpent) };
  }
  if (!isUuid(turnId) || !(await insertReservation(sql, { id, turnId, tokens }, books))) {
    throw new FramerailError("NOT_FOUND", "there is no such turn");
  }
  if (note !== undefined) await noteCall(sql, note);
  return { kind: "granted", reservationId: id, granted: Math.min(tokens, leftOf(tightest)), held: true };
}

/** Gives the reservation back and counts what was used instead. A second time changes nothing. */
export async function settle(
  database: Database,
  orgId: string,
  { reservationId, usedTokens }: SettleInput,
): Promise<SettleResult> {
  requireTokens(usedTokens, 0, "usedTokens");
  if (!isUuid(reservationId)) throw new FramerailError("INVALID_ARGUMENT", "a reservation's id is a UUID");
  return database.asTenant(orgId, async (sql) => book(sql, await settleReservation(sql, reservationId, usedTokens)));
}

/** For a turn whose owner died: what it still held counts as used, as it was estimated [D-3]. */
export function settleTurn(sql: Sql, turnId: string): Promise<SettleResult> {
  return settleOpenReservations(sql, turnId).then((books) => book(sql, books));
}

async function book(sql: Sql, books: Awaited<ReturnType<typeof settleReservation>>): Promise<SettleResult> {
  const [first] = books;
  if (first !== undefined) await auditMarks(sql, first.turnId, books);
  return { settled: first !== undefined, spent: books.some(isSpent) };
}

function leftOf({ tokenLimit, settledTokens, reservedTokens }: BudgetBooks): number {
  return tokenLimit - settledTokens - reservedTokens;
}

// G4
async function auditMarks(sql: Sql, turnId: string, books: readonly BudgetBooks[]): Promise<void> {
  const marks = books.flatMap((one) =>
    thresholdsReached(one, one.auditedPercent).map((threshold) => ({ one, threshold })),
  );
  if (marks.length === 0) return;
  const root = isUuid(turnId) ? await findRoot(sql, turnId) : undefined;
  if (root === undefined) throw invalidProvenance();
  for (const { one, threshold } of marks) await markAudited(sql, one, threshold.percent);
  const rows = marks.map(
    ({ one, threshold: { percent, actionType } }): AuditRow => ({
      id: randomUUID(),
      sessionId: root.sessionId,
      turnId,
      actionType,
      parentId: root.id,
      detail: {
        budget_id: one.id,
        agent_id: one.agentId,
        period: one.period,
        period_start: one.periodStart,
        percent,
        settled_tokens: one.settledTokens,
        token_limit: one.tokenLimit,
      },
      durationMs: null,
      occurredAt: null,
    }),
  );
  await insertAuditRows(sql, rows);
}

function requireBudget({ agentId, tokenLimit, period }: BudgetInput): void {
  requireTokens(tokenLimit, 0, "tokenLimit");
  if (!BUDGET_PERIODS.includes(period)) throw refused("period", `must be one of ${BUDGET_PERIODS.join(", ")}`);
  if (agentId === null) return;
  const named = typeof agentId === "string" && agentId.length > 0 && agentId.length <= AGENT_ID_LENGTH_MAX;
  if (!named || agentId.includes("\0")) throw refused("agentId", "must be null or the name of an agent");
}

function requireTokens(tokens: number, min: number, field: string): void {
  if (!Number.isSafeInteger(tokens) || tokens < min) throw refused(field, `must be a whole number of at least ${min}`);
}

function refused(path: string, rule: string): FramerailError {
  const message = `${path} ${rule}`;
  return new FramerailError("INVALID_ARGUMENT", `a budget: ${message}`, { issue: { path, rule: "budget", message } });
}
