import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { agentOf, play } from "../dispatch/testing/turn-bench.js";
import { createPolicy } from "../policy/create-policy.js";
import { SHOP } from "../policy/testing/policy-bench.js";
import { createLogger } from "../telemetry/logger.js";
import { openMetrics, scrape } from "../telemetry/testing/open-metrics.js";
import { observeTurns } from "./observe-turns.js";

test("statuses that are joined in one frame are counted each by its id [W-MET-2] [W-REG-6]", async () => {
  const metrics = openMetrics({ statusIds: [...SHOP.entries.keys()] });
  const logger = createLogger({ destination: { write: () => undefined }, clock: systemClock });
  const observe = observeTurns({ metrics, logger });
  const agent = agentOf(async ({ writer }) => {
    for (const id of ["searching_offers", "looking_up_points_balance", "warming_cache", "made_up"]) writer.status(id);
  });
  const policy = createPolicy({ registry: SHOP, locale: "en", clock: systemClock });
  const { sink } = await play(agent, { policy, observer: observe({ agentId: "assistant" }).events });
  expect(sink.types()).toEqual(["response_id", "status", "completed"]);
  expect((await scrape(metrics)).by("stream_status_event_emitted_total", "event_id")).toEqual({
    searching_offers: 1,
    looking_up_points_balance: 1,
  });
  logger.close();
});
