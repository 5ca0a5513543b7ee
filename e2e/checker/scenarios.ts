// Short plays against one build of the program, each of which a certain kind of bug does not survive. Each gives what the
// checker says about it.

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createRedisServer } from "../../packages/framerail/src/log/redis/testing/redis-server.js";
import { copyEmbeddedTemplate, createPostgresDatabase } from "../../packages/framerail/src/store/testing/open-store.js";
import { startCluster } from "../harness/cluster.js";
import type { FakeModel } from "../harness/fake-model.js";
import { startFakeModel } from "../harness/fake-model.js";
import type { Program } from "../harness/program.js";
import { startProgram } from "../harness/program.js";
import type { Recorder } from "../harness/recorder.js";
import { createRecorder } from "../harness/recorder.js";
import type { TurnClientOptions } from "../harness/turn-client.js";
import { checkHistory } from "./check-history.js";
import type { StoredTurn, Violation } from "./history.js";
import { loadFromFolder, loadFromPostgres, untilSettled } from "./load-history.js";

/** The program that is played on. */
export interface Build {
  readonly bin: string;
  readonly agents: string;
}

export type Scenario = (build: Build) => Promise<Violation[]>;

const PATIENCE_MS = 20_000;
/** Longer than a lease. */
const STOP_MS = 4_500;

interface Embedded {
  readonly recorder: Recorder;
  readonly model: FakeModel;
  program(): Program;
  /** Kills the program and starts it on the same folder. */
  restart(): Promise<void>;
  begin(agentId: string, says: string): Promise<string>;
  follow(turnId: string, options?: Partial<TurnClientOptions>): Promise<unknown>;
}

async function playEmbedded({ bin, agents }: Build, play: (stage: Embedded) => Promise<void>): Promise<Violation[]> {
  const folder = copyEmbeddedTemplate();
  const model = await startFakeModel();
  const recorder = createRecorder(model);
  const start = () =>
    startProgram({
      args: ["dev", "--agents", agents, "--data", folder, "--port", "0"],
      env: { FAKE_MODEL_URL: model.url },
      bin,
    });
  let program = await start();
  try {
    await play({
      recorder,
      model,
      program: () => program,
      async restart() {
        await program.kill();
        program = await start();
      },
      begin: (agentId, says) => beginTurn(recorder, { url: program.url, agentId, says }),
      follow: (turnId, options = {}) =>
        recorder.follow({
          turnId,
          server: () => program.url,
          silenceMs: PATIENCE_MS,
          patienceMs: PATIENCE_MS,
          ...options,
        }),
    });
    await program.kill();
    return checkHistory(recorder.history(await loadFromFolder(folder)));
  } finally {
    await program.kill();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Beginning {
  readonly url: string;
  readonly agentId: string;
  readonly says: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function beginTurn(recorder: Recorder, { says, ...rest }: Beginning): Promise<string> {
  const turnId = await recorder.begin({ ...rest, message: `${randomUUID()} ${says}` });
  if (turnId === undefined) throw new Error("a turn was not accepted");
  return turnId;
}

/** A reader leaves in the middle of a turn and comes back; another stays. */
export const leaveAndComeBack: Scenario = (build) =>
  playEmbedded(build, async ({ begin, follow }) => {
    const turnId = await begin("errands", "150 errands every 20 ms");
    await Promise.all([follow(turnId, { leaveAfter: 5 }), follow(turnId)]);
  });

/** One turn is cancelled while a tool runs, another while its model speaks. */
export const cancelTurns: Scenario = (build) =>
  playEmbedded(build, async ({ begin, follow, recorder, program }) => {
    const cancelAt = async (says: string, isDue: (type: string, seq: number) => boolean) => {
      const turnId = await begin("assistant", says);
      let cancel: Promise<void> | undefined;
      await follow(turnId, {
        onFrame({ event_type, seq }) {
          if (isDue(event_type, seq)) cancel ??= recorder.cancel(program().url, turnId);
        },
      });
      await cancel;
    };
    await cancelAt("call slow_tool first", (type) => type === "tool_call");
    await cancelAt("say 1000 words every 20 ms", (_, seq) => seq >= 10);
    // Whatever goes on behind a cancelled turn goes on for longer than it may.
    await sleep(500);
  });

/** The process dies while it speaks. */
export const killInTheMiddle: Scenario = (build) =>
  playEmbedded(build, async ({ begin, follow, restart }) => {
    const turnId = await begin("errands", "200 errands every 20 ms");
    let restarted: Promise<void> | undefined;
    await follow(turnId, {
      onFrame({ seq }) {
        if (seq >= 20) restarted ??= restart();
      },
    });
    await restarted;
  });

/** The process dies while a model speaks to it. */
export const killWhileAModelSpeaks: Scenario = (build) =>
  playEmbedded(build, async ({ begin, follow, restart }) => {
    const turnId = await begin("assistant", "call look_up first and say 1000 words every 20 ms");
    let restarted: Promise<void> | undefined;
    await follow(turnId, {
      onFrame({ seq }) {
        if (seq >= 20) restarted ??= restart();
      },
    });
    await restarted;
  });

/** The process dies when its reader has seen the end. */
export const killAtEnd: Scenario = (build) =>
  playEmbedded(build, async ({ begin, follow, program }) => {
    const turnId = await begin("errands", "20 errands every 20 ms");
    await follow(turnId, {
      onFrame({ event_type }) {
        if (event_type === "completed") program().signal("SIGKILL");
      },
    });
  });

interface Clustered {
  readonly owner: Program;
  /** The turn runs on the owner. */
  begin(says: string): Promise<void>;
  /** Reads it at a server, with patience. */
  follow(server: "owner" | "other", onFrame?: TurnClientOptions["onFrame"]): Promise<unknown>;
  turns(): Promise<readonly StoredTurn[]>;
}

async function playClustered({ bin, agents }: Build, play: (stage: Clustered) => Promise<void>): Promise<Violation[]> {
  const [database, redis, model] = await Promise.all([createPostgresDatabase(), createRedisServer(), startFakeModel()]);
  const recorder = createRecorder(model);
  const cluster = await startCluster({ databaseUrl: database.url, redis, modelUrl: model.url, bin, agents });
  const { headers, servers } = cluster;
  const [owner, other] = servers;
  const turns = () => loadFromPostgres(database.url);
  let turnId = "";
  try {
    await play({
      owner,
      async begin(says) {
        turnId = await beginTurn(recorder, { url: owner.url, headers, agentId: "errands", says });
      },
      follow: (server, onFrame) =>
        recorder.follow({
          turnId,
          headers,
          server: () => (server === "owner" ? owner : other).url,
          silenceMs: PATIENCE_MS,
          patienceMs: PATIENCE_MS,
          ...(onFrame && { onFrame }),
        }),
      turns,
    });
    return checkHistory(recorder.history(await untilSettled(turns, PATIENCE_MS)));
  } finally {
    await cluster.close();
    await Promise.all([database.drop(), redis.dispose(), model.close()]);
  }
}

/** An owner is stopped until its turn is another's, and then goes on. */
export const stopAnOwner: Scenario = (build) =>
  playClustered(build, async ({ owner, begin, follow }) => {
    await begin("400 errands every 30 ms");
    let stopped: Promise<void> | undefined;
    const stop = async () => {
      owner.signal("SIGSTOP");
      await sleep(STOP_MS);
      owner.signal("SIGCONT");
    };
    const readers = [
      follow("owner", ({ seq }) => {
        if (seq >= 20) stopped ??= stop();
      }),
      follow("other"),
    ];
    await Promise.all(readers);
    await stopped;
  });

/** An owner dies when its turn's end is stored: for a build that takes its time before it tells it. */
export const killBeforeTerminal: Scenario = (build) =>
  playClustered(build, async ({ owner, begin, follow, turns }) => {
    await begin("5 errands every 30 ms");
    const reader = follow("other");
    while ((await turns())[0]?.status !== "ended") await sleep(20);
    await owner.kill();
    await reader;
  });
