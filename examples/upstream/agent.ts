// An agent that is a service somebody already runs. Each turn is one POST; the service's events become the turn's, and
// its silence, its failures and a reader's cancel are handled here, not there.

import type { Clock } from "@framerail/protocol";
import type { Agent } from "framerail/agent";
import { upstreamAgent } from "framerail/agent";

export const IDLE_MS = 5_000;

export interface RelayOptions {
  readonly url: string;
  /** Silence is measured on it; the system's, unless a test has its own. */
  readonly clock?: Clock;
}

const SHOP = { id: "shop", emits: ["searching_offers"], idleTimeoutMs: IDLE_MS };

/** Takes what the service likes best, and reads it by its content type. */
export function createRelay(options: RelayOptions): Agent {
  return upstreamAgent({ ...SHOP, ...options });
}

/** Takes NDJSON alone. */
export function createNdjsonRelay(options: RelayOptions): Agent {
  return upstreamAgent({ ...SHOP, ...options, format: "ndjson" });
}
