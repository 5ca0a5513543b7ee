// From what happens at the edge to what is counted and logged of it.

import type { EdgeWatch } from "../gateway/gateway.js";
import type { Logger } from "../telemetry/logger.js";
import type { Metrics } from "../telemetry/metrics.js";

/** Of the ways in which a reader goes, those in which we sent it. */
const CUT_OF = { ended: undefined, left: undefined, slow: "slow", lost: "lost", dropped: "lost" } as const;

export function watchEdge(metrics: Metrics, logger: Logger): EdgeWatch {
  return {
    request: (route, status) => metrics.httpRequest(route, status),
    failed: (route, error) => logger.error("a request failed", { route }, error),
    refused(code, fault = "invalid") {
      if (code === "UNAUTHENTICATED") metrics.authFailure(fault);
      if (code === "FORBIDDEN") metrics.authFailure("forbidden");
    },
    readerOpened(transport) {
      const close = metrics.reader(transport);
      return (how) => {
        if (how === "dropped") metrics.stream().dropped();
        close(CUT_OF[how]);
      };
    },
  };
}
