// Usage, budgets, provenance.

import { FramerailError } from "@framerail/protocol";
import type { Caller } from "../../auth/caller.js";
import type { Gateway } from "../../gateway.js";
import type { BudgetRequest } from "../documents.js";
import type { Exchange, Handler } from "../exchange.js";

const GROUPS = ["agent", "model", "day"] as const;
const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;

export function readUsage({ ledger, clock }: Gateway): Handler {
  return async ({ caller, query }) => {
    requireService(caller);
    const groupBy = (query.group_by ?? "").split(",").filter((group) => group !== "");
    const to = readTime(query, "to") ?? clock.now() + 1;
    const from = readTime(query, "from") ?? Math.max(0, to - USAGE_DAYS * DAY_MS);
    const usage = await ledger.usage(caller.tenantId, {
      from,
      to,
      ...(query.agent_id !== undefined && { agentId: query.agent_id }),
      groupBy: groupBy.map(readGroup),
    });
    return { status: 200, body: { from, to, usage } };
  };
}

export function readBudgets({ ledger }: Gateway): Handler {
  return async ({ caller }) => {
    requireService(caller);
    return { status: 200, body: { budgets: await ledger.budgets(caller.tenantId) } };
  };
}

export function putBudget({ ledger }: Gateway): Handler<BudgetRequest> {
  return async ({ caller, body }) => {
    requireService(caller);
    const { agent_id: agentId = null, token_limit: tokenLimit, period } = body;
    await ledger.putBudget(caller.tenantId, { agentId, tokenLimit, period });
    return { status: 200, body: { budgets: await ledger.budgets(caller.tenantId) } };
  };
}

export function readProvenance({ ledger, sessions }: Gateway): Handler {
  return async ({ caller, params }) => {
    const sessionId = params.id ?? "";
    await sessions.read(caller, sessionId);
    const chain = await ledger.provenance(caller.tenantId, { sessionId, actionId: params.action_id ?? "" });
    return { status: 200, body: { chain } };
  };
}

/** What is the tenant's as a whole is told to those who speak for it. */
function requireService({ kind }: Caller): void {
  if (kind !== "service") throw new FramerailError("FORBIDDEN", "only a service's key may see or set this");
}

function readGroup(group: string): (typeof GROUPS)[number] {
  const found = GROUPS.find((name) => name === group);
  if (found === undefined) throw new FramerailError("INVALID_ARGUMENT", `group_by takes ${GROUPS.join(", ")}`);
  return found;
}

function readTime(query: Exchange["query"], name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) throw new FramerailError("INVALID_ARGUMENT", `${name} must be a time`);
  return time;
}
