import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createLogger } from "../telemetry/logger.js";
import { createMetrics } from "../telemetry/metrics.js";
import { watchEdge } from "./watch-edge.js";

test("callers who are turned away are counted by what was wrong with their credential", async () => {
  const metrics = createMetrics({ statusIds: [], nowMs: () => 0, clock: systemClock });
  const watch = watchEdge(metrics, createLogger({ destination: { write: () => undefined }, clock: systemClock }));
  for (const fault of ["missing", "malformed", "expired", "invalid", undefined] as const)
    watch.refused("UNAUTHENTICATED", fault);
  watch.refused("FORBIDDEN");
  watch.refused("NOT_FOUND");
  const counts = [...(await metrics.text()).matchAll(/^framerail_auth_failures_total\{reason="(\w+)"\} (\d+)$/gm)];
  // Whether a key was revoked or never there is not told even to us, so it is no reason.
  expect(Object.fromEntries(counts.map(([, reason, count]) => [reason, Number(count)]))).toEqual({
    missing: 1,
    malformed: 1,
    expired: 1,
    invalid: 2,
    forbidden: 1,
  });
});
