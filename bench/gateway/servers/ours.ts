// Our server, whole, as the program starts it, with an agent that writes what the pacer gives. Policy, guard, log, history,
// audit, metrics and the store are what they always are; only the limits of rate, silence and length are out of the way.
//   memory            the log in memory, ends of turns in Postgres: `framerail serve` without Redis
//   memory + journal  the log in memory and in a file, the embedded database: `framerail dev`
//   Redis + Postgres  every frame through Redis before it is sent: `framerail serve` with more than one process

import { defineAgent } from "../../../packages/framerail/dist/agent/define-agent.js";
import { PACE_LENGTH_MAX } from "../../../packages/framerail/dist/agent/model/limits.js";
import type { ServerSettings } from "../../../packages/framerail/dist/cli/start-server.js";
import { startServer } from "../../../packages/framerail/dist/cli/start-server.js";
import { EMPTY_REGISTRY } from "../../../packages/framerail/dist/registry/registry.js";
import { CHUNK } from "../chunk.js";
import type { Pacer } from "../pacer.js";
import type { Services } from "../server.js";

export const AGENT = "bench";
const HOUR_MS = 3_600_000;
const UNLIMITED = 1_000_000;
const TENANT = "00000000-0000-4000-8000-000000000001";

export const startMemory = (pacer: Pacer, { postgresUrl }: Services) => start(pacer, { store: { url: postgresUrl } });

export const startJournal = (pacer: Pacer, { folder }: Services) => start(pacer, { store: { folder } });

export const startRedis = (pacer: Pacer, { postgresUrl, redisUrl }: Services) =>
  start(pacer, { store: { url: postgresUrl }, redisUrl });

async function start(pacer: Pacer, stored: Pick<ServerSettings, "store" | "redisUrl">): Promise<number> {
  const server = await startServer({
    ...stored,
    host: "127.0.0.1",
    port: 0,
    agents: [createAgent(pacer)],
    registry: EMPTY_REGISTRY,
    version: "bench",
    fixedTenant: TENANT,
    requestsPerSecond: UNLIMITED,
    streamsPerTenant: UNLIMITED,
    idleMs: HOUR_MS,
    deadlineMs: HOUR_MS,
    log: { destination: { write: (line) => void process.stderr.write(line) }, level: "warn" },
  });
  return server.port;
}

/** The message is how many frames it writes at once, before it lets the pacer write. */
function createAgent(pacer: Pacer) {
  return defineAgent({
    id: AGENT,
    async run({ message }, { writer, signal }) {
      for (let frame = 0; frame < Number(message); frame += 1) {
        writer.text(CHUNK);
        await writer.ready();
      }
      let written = 0;
      const leave = pacer.add((chunk) => {
        writer.text(chunk);
        written += chunk.length;
        if (written < PACE_LENGTH_MAX) return;
        written = 0;
        // As our own loop does; the credit of the bench keeps it from being anything to wait for.
        void writer.ready();
      });
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      leave();
    },
  });
}
