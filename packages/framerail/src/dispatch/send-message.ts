// Sends a message to a session's agent and runs the turn that answers it. Reads like the list of its steps:
//   1. claim (claim-message.ts): the session is free and the caller's, the idempotency key is new; the turn's row says
//      `dispatching`;
//   2. prepare: the budget has room, the agent is there, the conversation is read. What fails up to here is refused, and
//      no turn was begun;
//   3. accept: the user's message and the acceptance are one commit;
//   4. run: events → taps → policy → frames → log (run-turn.ts, record-turn.ts);
//   5. end: one commit, then the terminal;
//   6. forget: what the store has, the log may let go.
// Owns: that order. Does not own: any of the steps, the turns that run (dispatcher.ts).
//   S1. A turn that was accepted ends, in the log and in the store, or is left to whoever seals it [G1].
//   S2. A turn whose log refuses it is another's: it stops at once, and writes nothing more [D-3].
//   S3. A turn that this process cannot bring to an end is given up: its readers are cut, and it is sealed [D-4].

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { ContextMessage, ContextPolicy, EstimateTokens } from "../history/choose-context.js";
import { readContext } from "../history/read-context.js";
import { createUserMessage } from "../history/user-message.js";
import { hasRoom } from "../ledger/budgets.js";
import type { TurnLog } from "../log/turn-log.js";
import type { PublishReport, PublishTurnOptions } from "../publish/publish-turn.js";
import type { Database } from "../store/database.js";
import type { Journal } from "../store/journal.js";
import type { ClaimedTurn, TurnClaim } from "../store/turns.js";
import { acceptTurn, refuseTurn } from "../store/turns.js";
import { claimMessage } from "./claim-message.js";
import { commitEnd } from "./commit-end.js";
import type { TurnObserver } from "./observe-turn.js";
import { TurnRecord } from "./record-turn.js";
import type { RunningTurn } from "./run-turn.js";
import { runTurn } from "./run-turn.js";
import type { StepRunner } from "./step-runner.js";
import { createTurnBudget } from "./turn-budget.js";
import { WORTH_ASKING_AGAIN } from "./while-away.js";

/** What an agent's step is told of its turn. */
export interface StepInput {
  readonly turnId: string;
  readonly conversationId: string;
  readonly message: string;
  readonly history: readonly ContextMessage[];
  readonly metadata: ClaimedTurn["metadata"];
}

/** The agents that can be run, wherever they are. */
export interface AgentDirectory {
  /** Undefined: there is no such agent. */
  find(agentId: string): KnownAgent | undefined;
}

export interface KnownAgent {
  policyFor(locale: string | null): PublishTurnOptions["policy"];
  step(input: StepInput, principal: { readonly tenant_id: string; readonly user_id: string }): StepRunner;
}

export interface DispatchOptions {
  readonly database: Database;
  readonly log: TurnLog;
  readonly journal: Journal;
  readonly agents: AgentDirectory;
  readonly clock: Clock;
  /** This process, as turns and leases name it. */
  readonly owner: string;
  readonly context: ContextPolicy;
  readonly estimateTokens: EstimateTokens;
  /** Takes the turns that are given up, for whoever seals them. */
  readonly abandoned: Set<string>;
  readonly deadlineMs?: number;
  readonly idleMs?: number;
  newId(): string;
  /** Counts what the turn does. */
  observe?(turn: { readonly turnId: string; readonly agentId: string }): TurnObserver;
  report?(report: DispatchReport): void;
}

export type DispatchReport =
  | { readonly kind: "published"; readonly turnId: string; readonly report: PublishReport }
  | {
      readonly kind: "step_failed" | "end_failed" | "piece_failed" | "log_failed" | "settle_failed";
      readonly turnId: string;
      readonly error: unknown;
    };

export interface SendRequest extends Omit<TurnClaim, "turnId" | "owner"> {
  readonly orgId: string;
  readonly message: string;
  /** The reader's language, for a session that has not chosen one. */
  readonly locale: string | null;
  /** How long the caller lets the turn take. */
  readonly timeMs?: number;
}

export type Begun =
  | { readonly kind: "started"; readonly turnId: string; readonly turn: RunningTurn }
  | { readonly kind: "attached"; readonly turnId: string };

/** Throws NOT_FOUND, SESSION_CLOSED, TURN_RUNNING, KEY_REUSED or BUDGET_EXHAUSTED: no turn was begun. */
export async function sendMessage(options: DispatchOptions, request: SendRequest): Promise<Begun> {
  const { owner, newId } = options;
  const turnId = newId();
  const claim = await orAbandon(options, turnId, () =>
    claimMessage(options, request.orgId, { ...request, turnId, owner }),
  );
  if (claim.kind === "attached") return claim;
  const prepared = await orRefuse(options, request, turnId, () => prepare(options, request, turnId, claim.turn));
  try {
    return { kind: "started", turnId, turn: run(options, request, turnId, prepared) };
  } catch (error) {
    // Accepted, and nobody runs it.
    options.abandoned.add(turnId);
    throw error;
  }
}

interface Prepared extends ClaimedTurn {
  readonly policy: PublishTurnOptions["policy"];
  readonly step: StepRunner;
}

/** Steps 2 and 3. */
async function prepare(
  options: DispatchOptions,
  { orgId, message, locale }: SendRequest,
  turnId: string,
  claimed: ClaimedTurn,
): Promise<Prepared> {
  const { database, agents, clock, newId, context, estimateTokens } = options;
  const { agent_id: agentId, conversation_id: conversationId, user_id, metadata } = claimed;
  const agent = agents.find(agentId);
  if (agent === undefined) throw new FramerailError("NOT_FOUND", `there is no agent ${agentId}`);
  if (!(await hasRoom(database, orgId, { agentId }))) {
    throw new FramerailError("BUDGET_EXHAUSTED", "the budget has nothing left");
  }
  const history = await database.asTenant(orgId, (sql) =>
    readContext(sql, { conversationId, policy: context, estimateTokens }),
  );
  const said = createUserMessage({
    messageId: `msg_${newId()}`,
    conversationId,
    runId: turnId,
    text: message,
    at: clock.now(),
  });
  const step = agent.step({ turnId, conversationId, message, history, metadata }, { tenant_id: orgId, user_id });
  const policy = agent.policyFor(claimed.locale ?? locale);
  // Last of all: what fails after it is no refusal any more.
  await orAbandon(options, turnId, () => acceptTurn(database, orgId, { turnId, epoch: 1, message: said }));
  return { ...claimed, step, policy };
}

async function orRefuse<T>(
  options: DispatchOptions,
  { orgId }: SendRequest,
  turnId: string,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    // A turn that was accepted all the same, by a commit whose answer was lost, is not refused by this; it is sealed.
    await orAbandon(options, turnId, () => refuseTurn(options.database, orgId, turnId, 1)).catch(() => undefined);
    throw error;
  }
}

/** A claim of which nobody knows whether it is there must not keep its session: it is looked for when the store is back. */
async function orAbandon<T>({ abandoned }: DispatchOptions, turnId: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (isFramerailError(error) && WORTH_ASKING_AGAIN.has(error.code)) abandoned.add(turnId);
    throw error;
  }
}

/** Steps 4 to 6. */
function run(
  options: DispatchOptions,
  { orgId, sessionId, timeMs }: SendRequest,
  turnId: string,
  prepared: Prepared,
): RunningTurn {
  const { database, log, journal, clock, newId, report } = options;
  const { agent_id: agentId, conversation_id: conversationId, step, policy } = prepared;
  const turn = { orgId, turnId, sessionId, conversationId, epoch: 1 };
  const observer = options.observe?.({ turnId, agentId });
  let running: RunningTurn | undefined;
  const appender = log.open(turn, {
    isStored: true,
    // S2
    onFailure(error) {
      report?.({ kind: "log_failed", turnId, error });
      running?.fail(error);
    },
  });
  const record = new TurnRecord({
    turn,
    log: appender,
    database,
    journal,
    clock,
    showsText: policy.shows("text"),
    newId,
    report: (error) => report?.({ kind: "piece_failed", turnId, error }),
    // After the event that made it so: what is in the message is also on the wire.
    onFull: () => queueMicrotask(() => running?.fail(tooLong())),
    onUnkept: (error) => queueMicrotask(() => running?.fail(error)),
  });
  const budget = createTurnBudget({
    turn,
    database,
    clock,
    newId,
    calls: record.calls,
    agentId,
    report: (error) => report?.({ kind: "settle_failed", turnId, error }),
  });
  const begun = runTurn({
    turnId,
    conversationId,
    epoch: turn.epoch,
    agentId,
    step,
    policy,
    clock,
    budget,
    sink: record.sink,
    timeMs,
    taps: [record],
    observer: observer?.events,
    onOpened: () => observer?.opened(),
    deadlineMs: options.deadlineMs,
    idleMs: options.idleMs,
    onFailure: (error) => report?.({ kind: "step_failed", turnId, error }),
    report(published) {
      observer?.report(published);
      report?.({ kind: "published", turnId, report: published });
    },
    commit: async (outcome, terminal) => {
      if (appender.failure !== undefined) throw appender.failure;
      await budget.close();
      const end = await record.end(outcome, terminal);
      const commit = () => commitEnd(database, orgId, end, clock);
      await (observer === undefined ? commit() : observer.commit(commit));
    },
  });
  running = begun;
  begun.ended.then(
    (outcome) => {
      observer?.ended(outcome);
      log.forget(turnId);
    },
    () => {
      observer?.ended(undefined);
      record.sink.giveUp();
      appender.abandon();
    },
  );
  return begun;
}

function tooLong(): FramerailError {
  return new FramerailError("INPUT_TOO_LARGE", "the answer is longer than what is kept of one");
}
