// Metrics for the status catalogue of the examples, and their page as it is read from outside.

import { systemClock } from "@framerail/protocol";
import { createPolicy } from "../../policy/create-policy.js";
import { openRegistry } from "../../registry/open-registry.js";
import { createMetrics, type Metrics, type MetricsOptions } from "../metrics.js";
import { readExposition } from "./read-exposition.js";

export const registry = openRegistry(new URL("../../../../../examples/registry", import.meta.url).pathname);
export const policy = createPolicy({ registry, locale: "en", clock: systemClock });

export function openMetrics(options: Partial<MetricsOptions> = {}): Metrics {
  return createMetrics({
    dimensions: { vertical: ["shop"], sub_agent_id: ["assistant", "shop", "rewards"] },
    statusIds: [...registry.entries.keys()],
    clock: systemClock,
    nowMs: () => performance.now(),
    process: false,
    ...options,
  });
}

export const scrape = async (metrics: Metrics) => readExposition(await metrics.text());
