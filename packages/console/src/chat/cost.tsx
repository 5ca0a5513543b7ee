// What a turn cost, as far as the ledger tells it: it adds up the calls of an agent in a span of time, and the span of the
// turn is that. Where an agent works on two turns at once, both are in it; so the title says what was added up.

import { useEffect, useState } from "react";
import type { SpanCost, TurnTimes } from "../app/server.js";
import { useSurroundings } from "../app/use-app.js";

const PLACES = 5;

export function Cost({ times }: { readonly times: TurnTimes }) {
  const { app } = useSurroundings();
  const [cost, setCost] = useState<SpanCost>();
  const { agent_id: agentId, created_at: from, ended_at: to } = times;
  useEffect(() => {
    if (to === null) return undefined;
    let isCurrent = true;
    void app.server.cost(agentId, from, to + 1).then((found) => {
      if (isCurrent) setCost(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [app, agentId, from, to]);
  if (cost === undefined || cost.calls === 0) return null;
  return <span title={`${cost.calls} model calls of ${agentId} while the turn ran`}>${cost.usd.toFixed(PLACES)}</span>;
}
