// Counts the agents that the factory refused for a status id that nobody registered. Zero in steady state: what is refused
// was caught before any user saw it, and somebody has to mend it [W-MET-6].

import { isFramerailError } from "@framerail/protocol";
import type { StreamMeter } from "./turn-meter.js";

/** Runs the factory; what it throws is thrown on. */
export function countRejected<T>(meter: Pick<StreamMeter, "rejected">, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (isFramerailError(error) && error.code === "UNREGISTERED_STATUS") meter.rejected();
    throw error;
  }
}
