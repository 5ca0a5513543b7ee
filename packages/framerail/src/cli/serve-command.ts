// `framerail serve`: the gateway and what runs turns, on a Postgres server, for users who are not on this machine.
// Owns: its options and its environment. Does not own: what is started (start-server.ts).
//   V1. Nobody is let in by default: without an identity provider and without a key it refuses to start [D-18].
//   V2. SIGTERM and SIGINT let turns end before the process does; a second one does not wait.

import type { Command } from "commander";
import { Option } from "commander";
import { readJwtSettings } from "../gateway/auth/jwt-settings.js";
import { openRegistry } from "../registry/open-registry.js";
import { EMPTY_REGISTRY } from "../registry/registry.js";
import { loadAgents } from "../worker/load-agents.js";
import { explainListenError, PORT, readNumber, readPort } from "./listen-options.js";
import type { LocaleOption } from "./locale-option.js";
import { LOCALE_OPTION } from "./locale-option.js";
import { runUntilSignal } from "./run-until-signal.js";
import type { RunningServer } from "./start-server.js";
import { startServer } from "./start-server.js";
import type { Terminal } from "./terminal.js";
import type { TypeCheckOptions } from "./type-check.js";
import { beginTypeCheck, typeCheckOption } from "./type-check.js";

interface ServeOptions extends TypeCheckOptions, LocaleOption {
  readonly agents: string;
  readonly registry?: string;
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly metricsHost: string;
  readonly metricsPort: number;
  readonly origin: readonly string[];
  readonly requestsPerSecond?: number;
  readonly streamsPerTenant?: number;
}

const METRICS_PORT = 9094;

export function addServeCommand(program: Command, terminal: Terminal, version: string): void {
  const command = program
    .command("serve")
    .description("serve agents to users, on a Postgres server")
    .requiredOption("--agents <dir>", "the folder with the agents")
    .option("--registry <dir>", "the folder with the status registry")
    .option(...LOCALE_OPTION)
    .addOption(new Option("--database-url <url>", "the Postgres server").env("DATABASE_URL"))
    .addOption(new Option("--redis-url <url>", "the Redis server, for more than one process").env("REDIS_URL"))
    .option("--data <dir>", "without Redis: the folder in which frames outlive the process", ".framerail")
    .option("--host <host>", "the address to listen on", "0.0.0.0")
    .addOption(new Option("--port <port>", "the port to listen on").env("PORT").argParser(readPort).default(PORT))
    .option("--metrics-host <host>", "the address on which metrics are served", "127.0.0.1")
    .addOption(new Option("--metrics-port <port>", "their port").argParser(readPort).default(METRICS_PORT))
    .option("--origin <origin...>", "pages from where browsers may call, as in https://example.org", [])
    .addOption(new Option("--requests-per-second <n>", "of one tenant").argParser(readNumber))
    .addOption(new Option("--streams-per-tenant <n>", "open at the same time").argParser(readNumber))
    .addOption(typeCheckOption())
    .addHelpText(
      "after",
      "\nExample:\n  DATABASE_URL=postgres://localhost/framerail framerail serve --agents agents --registry registry\n",
    );
  command.action(async (options: ServeOptions) => {
    const databaseUrl = options.databaseUrl ?? command.error("error: name a database: set DATABASE_URL");
    await runUntilSignal(async () => {
      const check = beginTypeCheck(options.agents, options.typeCheck);
      try {
        return await startServe({ options, databaseUrl, version, terminal, pass: () => check.pass() });
      } finally {
        await check.stop();
      }
    });
  });
}

interface ServeStart {
  readonly options: ServeOptions;
  readonly databaseUrl: string;
  readonly version: string;
  readonly terminal: Terminal;
  pass(): Promise<string | undefined>;
}

async function startServe({ options, databaseUrl, version, terminal, pass }: ServeStart): Promise<RunningServer> {
  const loaded = await loadAgents(options.agents);
  const server = await startServer({
    ...options,
    store: { url: databaseUrl },
    journalFolder: options.data,
    registry: options.registry === undefined ? EMPTY_REGISTRY : openRegistry(options.registry, options),
    agents: loaded.map(({ agent }) => agent),
    pass,
    origins: options.origin,
    jwt: readJwtSettings(process.env),
    metricsAddress: { host: options.metricsHost, port: options.metricsPort },
    version,
    log: { destination: { write: terminal.err } },
  }).catch((error: unknown) => {
    throw explainListenError(error, options.port);
  });
  terminal.out(`framerail is at ${server.url}\n`);
  return server;
}
