// Sends a message to a session's agent and runs the turn that answers it. Reads like the list of its steps:
//   1. claim: the session is free and the caller's, the idempotency key is new; the turn's row says `dispatching`;
//   2. prepare: the budget has room, the agent is there, the conversation is read. What fails up to here is refused, and
//      no turn was begun;
//   3. accept: the user's message and the acceptance are one commit;
//   4. run: events → taps → policy → frames → log (run-turn.ts, record-turn.ts);
//   5. end: one commit, then the terminal;
//   6. forget: what the store has, the log may let go.
// Owns: that order, and the turns that run in this process. Does not own: any of the steps.
//   S1. A turn that was accepted ends, in the log and in the store, or is left to whoever seals it [G1].
//   S2. A turn whose log refuses it is another's: it stops at once, and writes nothing more [D-3].

import type { Clock, TurnOutcome } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { ContextMessage, ContextPolicy, EstimateTokens } from "../history/choose-context.js";
import { readContext } from "../history/read-context.js";
import { createUserMessage } from "../history/user-message.js";
import { hasRoom } from "../ledger/budgets.js";
import type { TurnLog } from "../log/turn-log.js";
import type { PublishReport, PublishTurnOptions } from "../publish/publish-turn.js";
import type { Database } from "../store/database.js";
import type { Journal } from "../store/journal.js";
import type { ClaimedTurn, TurnClaim } from "../store/turns.js";
import { acceptTurn, claimTurn, refuseTurn } from "../store/turns.js";
import { commitEnd } from "./commit-end.js";
import { recordTurn } from "./record-turn.js";
import type { RunningTurn } from "./run-turn.js";
import { runTurn } from "./run-turn.js";
import type { StepRunner } from "./step-runner.js";

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
  readonly deadlineMs?: number;
  newId(): string;
  report?(report: DispatchReport): void;
}

export type DispatchReport =
  | { readonly kind: "published"; readonly turnId: string; readonly report: PublishReport }
  | {
      readonly kind: "step_failed" | "end_failed" | "piece_failed" | "log_failed";
      readonly turnId: string;
      readonly error: unknown;
    };

export interface SendRequest extends Omit<TurnClaim, "turnId" | "owner"> {
  readonly orgId: string;
  readonly message: string;
  /** In which language status is told; the session's own where it is null. */
  readonly locale: string | null;
}

export type Sent =
  | { readonly kind: "started"; readonly turnId: string; readonly ended: Promise<TurnOutcome | undefined> }
  /** The same request came before. */
  | { readonly kind: "attached"; readonly turnId: string };

export interface Dispatcher {
  /** Throws NOT_FOUND, SESSION_CLOSED, TURN_RUNNING, KEY_REUSED, BUDGET_EXHAUSTED: no turn was begun. */
  send(request: SendRequest): Promise<Sent>;
  /** The turn, where it runs in this process. */
  running(turnId: string): RunningTurn | undefined;
  readonly runningCount: number;
}

export function createDispatcher(options: DispatchOptions): Dispatcher {
  const turns = new Map<string, RunningTurn>();
  return {
    async send(request) {
      const turnId = options.newId();
      const claim = await claimTurn(options.database, request.orgId, { ...request, turnId, owner: options.owner });
      if (claim.kind === "attached") return claim;
      const prepared = await orRefuse(options, request, turnId, () => prepare(options, request, turnId, claim.turn));
      const turn = run(options, request, turnId, prepared);
      turns.set(turnId, turn);
      const ended = turn.ended
        .catch((error: unknown) => void options.report?.({ kind: "end_failed", turnId, error }))
        .then((outcome) => outcome ?? undefined)
        .finally(() => turns.delete(turnId));
      return { kind: "started", turnId, ended };
    },
    running: (turnId) => turns.get(turnId),
    get runningCount() {
      return turns.size;
    },
  };
}

interface Prepared extends ClaimedTurn {
  readonly policy: PublishTurnOptions["policy"];
  readonly step: StepRunner;
}

/** Steps 2 and 3. */
async function prepare(
  { database, agents, clock, newId, context, estimateTokens }: DispatchOptions,
  { orgId, message, locale }: SendRequest,
  turnId: string,
  claimed: ClaimedTurn,
): Promise<Prepared> {
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
  await acceptTurn(database, orgId, { turnId, epoch: 1, message: said });
  return { ...claimed, step, policy: agent.policyFor(locale ?? claimed.locale) };
}

async function orRefuse<T>(
  { database }: DispatchOptions,
  { orgId }: SendRequest,
  turnId: string,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    // A turn that was accepted all the same, by a commit whose answer was lost, is not refused by this; it is sealed.
    await refuseTurn(database, orgId, turnId, 1).catch(() => undefined);
    throw error;
  }
}

/** Steps 4 to 6. */
function run(
  options: DispatchOptions,
  { orgId, sessionId }: SendRequest,
  turnId: string,
  prepared: Prepared,
): RunningTurn {
  const { database, log, journal, clock, newId, report } = options;
  const { conversation_id: conversationId, step, policy } = prepared;
  const turn = { orgId, turnId, sessionId, conversationId, epoch: 1 };
  let stop: (() => void) | undefined;
  const appender = log.open(turn, {
    // S2
    onFailure(error) {
      report?.({ kind: "log_failed", turnId, error });
      stop?.();
    },
  });
  const record = recordTurn({
    turn,
    sink: appender,
    database,
    journal,
    clock,
    newId,
    report: (error) => report?.({ kind: "piece_failed", turnId, error }),
  });
  const running = runTurn({
    turnId,
    conversationId,
    epoch: turn.epoch,
    step,
    policy,
    clock,
    sink: record.sink,
    taps: [record.tap],
    ...(options.deadlineMs !== undefined && { deadlineMs: options.deadlineMs }),
    onFailure: (error) => report?.({ kind: "step_failed", turnId, error }),
    report: (published) => report?.({ kind: "published", turnId, report: published }),
    commit: async (outcome, terminal) => {
      if (appender.failure !== undefined) throw appender.failure;
      await commitEnd(database, orgId, await record.end(outcome, terminal), clock);
    },
  });
  stop = () => running.cancel();
  void running.ended.then(
    () => log.forget(turnId),
    () => undefined,
  );
  return running;
}
