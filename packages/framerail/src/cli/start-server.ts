// The whole program in one process: what runs turns, and the edge in front of it.
// Owns: how the parts are joined, and their order at the start and at the end. Does not own: settings (the *-command.ts
// files), any part.
//   S1. Requests are taken when everything behind them is there; at the end they are refused first, then turns may end.
//   S2. Who has a last word about the start is heard before the first request, after everything behind it was opened.
//   S3. The log is closed after everything else, also when a part fails to open or to close: its timers keep the process.

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { fileURLToPath } from "node:url";
import { type Clock, FramerailError, systemClock } from "@framerail/protocol";
import type { Agent } from "../agent/agent.js";
import { steadyMs } from "../clock.js";
import { createAuthenticator, LOCAL_USER } from "../gateway/auth/authenticate.js";
import { createJwtVerifier } from "../gateway/auth/jwt.js";
import type { JwtSettings } from "../gateway/auth/jwt-settings.js";
import { createKeySet } from "../gateway/auth/key-set.js";
import type { OriginCheck } from "../gateway/auth/origin.js";
import { createOriginCheck, loopbackSources } from "../gateway/auth/origin.js";
import { createRequestLimit, createStreamLimit } from "../gateway/auth/rate-limit.js";
import { createMemoryTickets } from "../gateway/auth/tickets.js";
import type { Gateway } from "../gateway/gateway.js";
import { ROUTES } from "../gateway/http/routes.js";
import { listen } from "../gateway/http/server.js";
import { createRedisTickets } from "../gateway/redis/redis-tickets.js";
import { createHistory } from "../history/history.js";
import { createLedger } from "../ledger/ledger.js";
import { describeCatalogue } from "../registry/describe-registry.js";
import type { Registry } from "../registry/registry.js";
import { createApiKeys } from "../session/api-keys.js";
import { createSessions } from "../session/sessions.js";
import { createTurns } from "../session/turns.js";
import { countRejected } from "../telemetry/count-rejected.js";
import type { Logger, LoggerOptions } from "../telemetry/logger.js";
import { createLogger } from "../telemetry/logger.js";
import type { Metrics } from "../telemetry/metrics.js";
import { createMetrics } from "../telemetry/metrics.js";
import { buildAgents } from "../worker/build-agents.js";
import { logReports } from "./log-reports.js";
import { observeTurns } from "./observe-turns.js";
import type { Closer, Runtime, RuntimeOptions } from "./runtime.js";
import { closeAll, startRuntime } from "./runtime.js";
import { tuneHeap } from "./tune-heap.js";
import { watchEdge } from "./watch-edge.js";

export interface ServerSettings
  extends Pick<RuntimeOptions, "store" | "redisUrl" | "journalFolder" | "idleMs" | "deadlineMs"> {
  readonly host: string;
  readonly port: number;
  readonly agents: readonly Agent[];
  readonly registry: Registry;
  readonly version: string;
  /** Where log lines go, and from which level. */
  readonly log: Pick<LoggerOptions, "destination" | "level">;
  /** The tenant of whoever sends no credential, for a server that only this machine reaches. */
  readonly fixedTenant?: string;
  readonly jwt?: JwtSettings | undefined;
  /** From where browsers may call, beside this machine where the tenant is fixed. */
  readonly origins?: readonly string[];
  readonly requestsPerSecond?: number;
  readonly streamsPerTenant?: number;
  /** Metrics on an address of their own. */
  readonly metricsAddress?: { readonly host: string; readonly port: number };
  /** Where a built console is, to be served at `/`. */
  readonly consoleFolder?: string | undefined;
  readonly clock?: Clock;
  /** Has a last word: what it throws ends the start, what it gives is for operators. */
  pass?(): Promise<string | undefined>;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const { clock = systemClock, registry, host, version } = settings;
  tuneHeap();
  const metrics = createMetrics({
    statusIds: [...registry.entries.keys()],
    routes: ROUTES.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1")),
    dimensions: { sub_agent_id: emitterIds(settings.agents) },
    nowMs: steadyMs,
    clock,
  });
  const logger = createLogger({ ...settings.log, clock, onLost: () => metrics.logLineLost() });
  // S3
  const stops: Closer[] = [() => logger.close()];
  try {
    const runtime = await startRuntime({
      ...settings,
      agents: countRejected(metrics.stream(), () => buildAgents(settings.agents, registry)),
      observe: observeTurns({ metrics, logger }),
      onFlush: (ms) => metrics.logFlushTook(ms),
      report: logReports(logger),
    });
    stops.push(() => runtime.close());
    const { gateway, refuseRequests, setPort } = await composeGateway(settings, { runtime, metrics, logger, clock });
    // S2
    const notice = await settings.pass?.();
    if (notice !== undefined) logger.info(notice);
    const { port, consoleFolder } = settings;
    const server = await listen(gateway, { host, port, version, consoleFolder });
    setPort(server.port);
    stops.push(() => server.close());
    if (settings.metricsAddress !== undefined) stops.push(await serveMetrics(metrics, settings.metricsAddress));
    logger.info("listening", { port: server.port });
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
      port: server.port,
      async close() {
        // S1. Streams that are open are let go on while their turns do.
        refuseRequests();
        stops.push(() => runtime.dispatcher.drain());
        await closeAll(stops);
      },
    };
  } catch (error) {
    await closeAll(stops);
    throw error;
  }
}

/** Whoever can write in a turn: what the metrics tell apart. */
function emitterIds(agents: readonly Agent[]): string[] {
  return agents.flatMap(({ manifest }) => manifest.emitters.map(({ id }) => id));
}

interface Parts {
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

async function composeGateway(settings: ServerSettings, { runtime, metrics, logger, clock }: Parts) {
  const { database, dispatcher, presence, log, replicas, redis, agents } = runtime;
  const { fixedTenant, jwt, registry, requestsPerSecond, streamsPerTenant } = settings;
  const keys = createApiKeys(database);
  if (fixedTenant === undefined && jwt === undefined && !(await keys.hasUsable())) {
    const says = "nobody could come in: set FRAMERAIL_JWKS_URL and its two companions, or run framerail key create";
    throw new FramerailError("INVALID_ARGUMENT", says);
  }
  const { origins, setPort } = originsOf(settings);
  let refuses = false;
  const catalogue = [...agents.values()].map(({ manifest: { id, emitters } }) => ({ agent_id: id, emitters }));
  const gateway: Gateway = {
    clock,
    origins,
    authenticate: createAuthenticator({
      clock,
      findKey: (key) => keys.find(key),
      ...(jwt && {
        jwt: createJwtVerifier({
          ...jwt,
          clock,
          keys: createKeySet({ url: jwt.jwksUrl, clock, onFailure: (error) => logger.warn("jwks", {}, error) }),
        }),
      }),
      ...(fixedTenant !== undefined && { fixedTenant }),
    }),
    tickets: redis === undefined ? createMemoryTickets({ clock }) : createRedisTickets(redis),
    requestLimit: createRequestLimit({
      clock,
      ...(requestsPerSecond !== undefined && { perSecond: requestsPerSecond, burst: 2 * requestsPerSecond }),
    }),
    streamLimit: createStreamLimit(streamsPerTenant),
    sessions: createSessions(database, randomUUID),
    turns: createTurns(database),
    history: createHistory(database),
    ledger: createLedger(database),
    catalogue: {
      agents: catalogue,
      registry: describeCatalogue(registry),
      hasAgent: (agentId) => agents.has(agentId),
    },
    dispatcher,
    replicas,
    presence,
    log,
    localUser: fixedTenant === undefined ? undefined : LOCAL_USER,
    operations: {
      async ready() {
        if (refuses) throw new FramerailError("DRAINING", "the process stops");
        await database.asSystem({ text: "select" });
      },
      async metrics() {
        if (settings.metricsAddress !== undefined) return undefined;
        return { type: metrics.contentType, text: await metrics.text() };
      },
      contract: readContract(),
    },
    watch: watchEdge(metrics, logger),
  };
  return {
    gateway,
    setPort,
    refuseRequests() {
      refuses = true;
    },
  };
}

/** Names of this machine hold the port, which is known when the server listens. */
function originsOf({ fixedTenant, origins = [], port }: ServerSettings) {
  const checkFor = (bound: number) =>
    fixedTenant === undefined
      ? createOriginCheck({ hosts: "any", origins })
      : createOriginCheck({
          hosts: loopbackSources(bound).hosts,
          origins: [...loopbackSources(bound).origins, ...origins],
        });
  let check = checkFor(port);
  const forwarded: OriginCheck = {
    requireAllowed: (source) => check.requireAllowed(source),
    corsHeaders: (origin) => check.corsHeaders(origin),
    preflightHeaders: (origin) => check.preflightHeaders(origin),
  };
  return {
    origins: forwarded,
    setPort(bound: number) {
      check = checkFor(bound);
    },
  };
}

/** The published files of the contract, by name. */
function readContract(): ReadonlyMap<string, string> {
  const folder = new URL(".", import.meta.resolve("@framerail/protocol/schemas/asyncapi.json"));
  const names = readdirSync(fileURLToPath(folder)).filter((name) => name.endsWith(".json"));
  return new Map(names.sort().map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
}

async function serveMetrics(metrics: Metrics, { host, port }: { host: string; port: number }) {
  const server = createHttpServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
}
