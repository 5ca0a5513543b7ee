// Everything that runs turns in one process, composed: store, log, journal, dispatcher, and who looks after them.
// Owns: which driver is used, what is opened and closed in which order. Does not own: any of the parts.
//   R1. Opened from the store outwards, closed the other way round: turns end first, then what they write to.
//   R2. An embedded store is this process's alone, so whatever ran in it before is gone, and is sealed before the first
//       request [D-3].

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Clock, FramerailError, systemClock } from "@framerail/protocol";
import type { Redis } from "ioredis";
import { estimateTokens } from "../agent/model/count-tokens.js";
import { startChores } from "../dispatch/chores.js";
import type { Dispatcher, DispatcherOptions } from "../dispatch/dispatcher.js";
import { createDispatcher } from "../dispatch/dispatcher.js";
import type { Presence } from "../dispatch/presence.js";
import { createPresence } from "../dispatch/presence.js";
import { openRedisReplicas } from "../dispatch/redis/redis-replicas.js";
import type { Replicas } from "../dispatch/replicas.js";
import { startSealing } from "../dispatch/seal-turns.js";
import { openJournal, type ReplayedRecord } from "../log/memory/journal-file.js";
import { createMemoryLog } from "../log/memory/memory-log.js";
import { createRedisLog } from "../log/redis/redis-log.js";
import type { TurnLog } from "../log/turn-log.js";
import { chooseLocale } from "../policy/choose-locale.js";
import { createPolicy } from "../policy/create-policy.js";
import type { UnfilledMessage } from "../policy/render-status.js";
import type { Registry } from "../registry/registry.js";
import type { Database } from "../store/database.js";
import { createDatabase, openDatabase } from "../store/database.js";
import { openEmbeddedDriver } from "../store/embedded/embedded-driver.js";
import { lockFolder } from "../store/embedded/folder-lock.js";
import { createJournal } from "../store/journal.js";
import { dropLeases, listOpenTurns } from "../store/leases.js";
import { migrate } from "../store/migrate.js";
import { createPostgresDriver } from "../store/postgres/postgres-driver.js";
import { ownsTurn } from "../store/turns.js";
import { createAgentDirectory } from "../worker/agent-directory.js";
import type { BuiltAgent } from "../worker/build-agents.js";
import { connectRedis } from "./redis.js";

export interface RuntimeOptions {
  /** A folder of this process's own, or a Postgres server. */
  readonly store: { readonly folder: string } | { readonly url: string };
  /** The log on Redis, for more than one process; without it, it is in memory, and in a file where there is a folder. */
  readonly redisUrl?: string | undefined;
  /** Where the log's journal is, for a log in memory beside a store elsewhere; without it, frames die with the process. */
  readonly journalFolder?: string | undefined;
  readonly agents: ReadonlyMap<string, BuiltAgent>;
  readonly registry: Registry;
  readonly clock?: Clock;
  readonly idleMs?: number;
  readonly deadlineMs?: number;
  observe?: DispatcherOptions["observe"];
  /** The log has taken what was ready, and it took so long. */
  onFlush?(ms: number): void;
  /** What operators must hear of. */
  report?(what: string, details: object): void;
}

export interface Runtime {
  readonly database: Database;
  readonly log: TurnLog;
  readonly dispatcher: Dispatcher;
  readonly presence: Presence;
  readonly replicas: Replicas | undefined;
  /** For what else processes share. */
  readonly redis: Redis | undefined;
  readonly agents: ReadonlyMap<string, BuiltAgent>;
  /** Lets turns end, then closes everything. */
  close(): Promise<void>;
}

export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const closers: Closer[] = [];
  try {
    return await openRuntime(options, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Puts the closing of every part into `closers` as it is opened (R1). */
async function openRuntime(options: RuntimeOptions, closers: Closer[]): Promise<Runtime> {
  const { clock = systemClock, agents, report = () => undefined } = options;
  const owner = randomUUID();
  const database = await openStore(options);
  closers.push(() => database.close());
  const journal = createJournal({
    database,
    clock,
    // Heard before the tool runs whose intent it was: the turn is another's, or cannot be kept [D-5, G12].
    onRefused: (rows) => {
      for (const { turn_id } of rows) dispatcher.running(turn_id)?.fail(refusedRow(turn_id));
    },
  });
  closers.push(() => journal.close());
  const log = openLog(options, { database, owner, clock }, closers);
  closers.push(() => log.close());
  const redis = await openRedis(options, closers);
  const replicas = redis && (await openRedisReplicas({ ...redis, owner }));
  const presence = createPresence({ clock, replicas, report: (error) => report("presence", { error }) });
  closers.push(() => presence.close());
  const abandoned = new Set<string>();
  const toOperators = ({ kind, ...details }: { readonly kind: string }) => report(kind, details);
  const sealing = { database, log, clock, owner, abandoned, newId: randomUUID, report: toOperators };
  const sealer = await startSealing({
    ...sealing,
    database: openSealerStore(options, database, closers),
    isAlone: "folder" in options.store,
  });
  closers.push(() => sealer.close());
  await forgetEnded(log, database);
  closers.push(startChores({ database, clock, report: (error) => report("chores", { error }) }));
  const dispatcher = createDispatcher({
    ...sealing,
    ...dispatchSettings(options, clock),
    journal,
    presence,
  });
  replicas?.onCancel((turnId) => dispatcher.running(turnId)?.cancel());
  closers.push(() => dispatcher.drain());
  const close = () => closeAll(closers);
  return { database, log, dispatcher, presence, replicas, redis: redis?.asking, agents, close };
}

function refusedRow(turnId: string): FramerailError {
  return new FramerailError("STALE_EPOCH", `the journal refused a row of turn ${turnId}`);
}

function dispatchSettings(options: RuntimeOptions, clock: Clock) {
  const { agents, registry, idleMs, deadlineMs, observe, report } = options;
  const onUnfilled = ({ render_key, locale, error }: UnfilledMessage) =>
    report?.("status_unfilled", { reason: `${render_key} in ${locale}`, error });
  return {
    agents: createAgentDirectory({
      agents,
      chooseLocale: (wanted) => chooseLocale(wanted ?? undefined, registry),
      policyOf: (_agentId, locale) => createPolicy({ registry, locale, clock, onUnfilled }),
    }),
    context: {},
    estimateTokens: (text: string) => estimateTokens(text.length),
    ...(idleMs !== undefined && { idleMs }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(observe && { observe }),
  };
}

async function openStore({ store, clock }: RuntimeOptions): Promise<Database> {
  const driver =
    "folder" in store ? await openEmbeddedDriver({ folder: store.folder }) : createPostgresDriver({ url: store.url });
  try {
    if ("folder" in store) await migrate(driver);
    const database = await openDatabase(driver, clock);
    // R2
    if ("folder" in store) await dropLeases(database);
    return database;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** Requests that keep every connection busy must not cost the process its lease: the sealer has one of its own [D-3]. */
function openSealerStore({ store, clock }: RuntimeOptions, shared: Database, closers: Closer[]): Database {
  if ("folder" in store) return shared;
  const own = createDatabase(createPostgresDriver({ url: store.url, connectionsMax: 1 }), clock);
  closers.push(() => own.close());
  return own;
}

async function openRedis({ redisUrl, report }: RuntimeOptions, closers: Closer[]) {
  if (redisUrl === undefined) return undefined;
  const connect = async () => {
    const redis = await connectRedis(redisUrl, (error) => report?.("redis", { error }));
    closers.push(() => redis.disconnect());
    return redis;
  };
  return { asking: await connect(), listening: await connect() };
}

interface LogParts {
  readonly database: Database;
  readonly owner: string;
  readonly clock: Clock;
}

/** What the journal of an earlier process has of turns that ended in the store is not needed any more. */
async function forgetEnded(log: TurnLog & { readonly turnIds?: readonly string[] }, database: Database): Promise<void> {
  const { turnIds = [] } = log;
  const open = new Set(turnIds.length === 0 ? [] : await listOpenTurns(database, turnIds));
  for (const turnId of turnIds) if (!open.has(turnId)) log.forget(turnId);
}

function openLog(options: RuntimeOptions, { database, owner, clock }: LogParts, closers: Closer[]): TurnLog {
  const { store, redisUrl, journalFolder, report, onFlush } = options;
  const flush = onFlush && { onFlush };
  if (redisUrl !== undefined) {
    return createRedisLog({
      ...flush,
      url: redisUrl,
      owner,
      clock,
      report: (error) => report?.("log", { error }),
      confirmOwner: (turn) => ownsTurn(database, turn, owner),
    });
  }
  const folder = "folder" in store ? store.folder : journalFolder;
  if (folder === undefined) return createMemoryLog({ clock, ...flush });
  // The embedded store has locked its folder already.
  if (!("folder" in store)) closers.push(lockFolder(folder));
  const replayed: ReplayedRecord[] = [];
  const journal = openJournal(join(folder, "journal"), (record) => replayed.push(record));
  return createMemoryLog({ journal, replayed, clock, ...flush });
}

export type Closer = () => Promise<void> | void;

/** Closes what was opened, the last first, also after one that fails; the first failure is thrown in the end (R1). */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
