// `framerail dev`: everything in one process, for one person on this machine.
// Owns: its options, and what it tells the person. Does not own: what is started (start-server.ts).
//   D1. Only this machine reaches it, and whoever does speaks for its one tenant [D-18].
//   D2. The types of the user's agents are checked while everything else is opened; those of the demo are ours.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { Option } from "commander";
import { openRegistry } from "../registry/open-registry.js";
import { EMPTY_REGISTRY } from "../registry/registry.js";
import { loadAgents } from "../worker/load-agents.js";
import { explainListenError, PORT, readPort } from "./listen-options.js";
import type { LocaleOption } from "./locale-option.js";
import { LOCALE_OPTION } from "./locale-option.js";
import { runUntilSignal } from "./run-until-signal.js";
import type { RunningServer } from "./start-server.js";
import { startServer } from "./start-server.js";
import type { Terminal } from "./terminal.js";
import type { TypeCheckOptions } from "./type-check.js";
import { beginTypeCheck, typeCheckOption } from "./type-check.js";

interface DevOptions extends TypeCheckOptions, LocaleOption {
  readonly agents?: string;
  readonly registry?: string;
  readonly data: string;
  readonly port: number;
}

/** The one tenant of a machine. */
export const DEV_TENANT = "00000000-0000-4000-8000-000000000001";
const HOST = "127.0.0.1";
/** A person with a load test is no attacker. */
const REQUESTS_PER_SECOND = 100_000;
const STREAMS_MAX = 100_000;

/** Stands beside the sources and beside what is built of them. */
const DEMO_AGENTS = fileURLToPath(new URL("../../demo/agents", import.meta.url));

/** Built into the program's own folder; sources that were never built have none. */
const CONSOLE = fileURLToPath(new URL("../console", import.meta.url));

/** A registry belongs to its agents: it is in their folder, or beside it. */
function findRegistry(agents: string): string | undefined {
  return [join(agents, "registry"), join(agents, "..", "registry")].find((folder) => existsSync(folder));
}

function welcome(url: string, agentId: string, hasConsole: boolean): string {
  return `framerail is at ${url}\n\n${hasConsole ? tryInBrowser(url) : ""}${tryByHand(url, agentId)}`;
}

function tryInBrowser(url: string): string {
  return `Three things to try in a browser, at ${url}/ while an answer is being written:
  1. reload the page           it goes on where it was
  2. press Stop                it stops, and what was said stays
  3. kill -9 ${String(process.pid).padEnd(17)} start this again: the turn says that it failed, and keeps what it said

`;
}

function tryByHand(url: string, agentId: string): string {
  const json = "-H 'content-type: application/json'";
  return `By hand:
  1. open a session     curl -s ${url}/v1/sessions ${json} -d '{"agent_id":"${agentId}"}'
  2. send it a message  curl -N ${url}/v1/sessions/SESSION/turns ${json} -d '{"message":"hello"}'
  3. cut it with Ctrl-C, and read on where you were
                        curl -N ${url}/v1/turns/TURN/stream -H 'Last-Event-ID: LAST_ID'
`;
}

export function addDevCommand(program: Command, terminal: Terminal, version: string): void {
  program
    .command("dev")
    .description("run agents on this machine, with everything they need in one process")
    .option("--agents <dir>", "the folder with the agents; without it ./agents, or else the demo agents")
    .option("--registry <dir>", "the folder with the status registry; without it `registry` in or beside the agents")
    .option(...LOCALE_OPTION)
    .option("--data <dir>", "the folder of the database", ".framerail")
    .addOption(new Option("--port <port>", "the port to listen on").env("PORT").argParser(readPort).default(PORT))
    .addOption(typeCheckOption())
    .addHelpText("after", "\nExample:\n  framerail dev --agents agents --port 4180\n")
    .action(async (options: DevOptions) => {
      await runUntilSignal(async () => {
        const folder = options.agents ?? (existsSync("agents") ? "agents" : DEMO_AGENTS);
        // D2
        const check = beginTypeCheck(folder, options.typeCheck && folder !== DEMO_AGENTS);
        try {
          return await startDev({ folder, options, version, terminal, pass: () => check.pass() });
        } finally {
          await check.stop();
        }
      });
    });
}

interface DevStart {
  /** Of the agents. */
  readonly folder: string;
  readonly options: DevOptions;
  readonly version: string;
  readonly terminal: Terminal;
  pass(): Promise<string | undefined>;
}

async function startDev({ folder, options, version, terminal, pass }: DevStart): Promise<RunningServer> {
  const registry = options.registry ?? findRegistry(folder);
  const loaded = await loadAgents(folder);
  const hasConsole = existsSync(CONSOLE);
  const server = await startServer({
    store: { folder: options.data },
    registry: registry === undefined ? EMPTY_REGISTRY : openRegistry(registry, options),
    agents: loaded.map(({ agent }) => agent),
    pass,
    host: HOST,
    port: options.port,
    fixedTenant: DEV_TENANT,
    requestsPerSecond: REQUESTS_PER_SECOND,
    streamsPerTenant: STREAMS_MAX,
    version,
    consoleFolder: hasConsole ? CONSOLE : undefined,
    log: { destination: { write: terminal.err }, level: "warn" },
  }).catch((error: unknown) => {
    throw explainListenError(error, options.port);
  });
  terminal.out(welcome(server.url, loaded[0]?.agent.manifest.id ?? "", hasConsole));
  return server;
}
