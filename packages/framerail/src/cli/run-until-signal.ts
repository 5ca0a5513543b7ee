// A server's life on a terminal: started, until somebody says stop.
//   U1. The first SIGINT or SIGTERM closes it in order; the second ends the process at once.

import type { RunningServer } from "./start-server.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const EXIT_SECOND_SIGNAL = 130;

/** Resolves when the server has been closed. */
export async function runUntilSignal(start: () => Promise<RunningServer>): Promise<void> {
  let onSignal = () => {};
  const told = new Promise<void>((resolve) => {
    onSignal = resolve;
  });
  let signals = 0;
  // U1
  const count = () => {
    signals += 1;
    if (signals > 1) process.exit(EXIT_SECOND_SIGNAL);
    onSignal();
  };
  for (const signal of SIGNALS) process.on(signal, count);
  try {
    const server = await start();
    await told;
    await server.close();
  } finally {
    for (const signal of SIGNALS) process.off(signal, count);
  }
}
