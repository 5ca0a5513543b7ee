// Who writes the rows: our store on one of its drivers, or a driver without it.

import { Worker } from "node:worker_threads";
import pg from "pg";
import { createDatabase } from "../../packages/framerail/dist/store/database.js";
import type { JournalRow } from "../../packages/framerail/dist/store/journal.js";
import { createJournal } from "../../packages/framerail/dist/store/journal.js";
import { CONNECTIONS_MAX } from "../../packages/framerail/dist/store/limits.js";
import type { SqlDriver, Statement } from "../../packages/framerail/dist/store/sql.js";
import { AS_CONNECTED } from "../../packages/framerail/dist/store/sql.js";
import type { TurnEnd } from "../../packages/framerail/dist/store/turn-end.js";
import { commitTurnEnd } from "../../packages/framerail/dist/store/turn-end.js";
import { endStatements, journalStatement } from "./bare-statements.js";
import type { RunningTurn } from "./turn-ends.js";
import { SEED } from "./turn-ends.js";

export interface Contender {
  readonly name: string;
  seed(turns: readonly RunningTurn[]): Promise<void>;
  /** One commit. */
  end(turn: RunningTurn, end: TurnEnd): Promise<void>;
  /** One commit as well: no more rows than the journal takes at once. */
  journal(rows: readonly JournalRow[]): Promise<void>;
  close(): Promise<void>;
}

export function createOurs(driver: SqlDriver): Contender {
  const database = createDatabase(driver);
  const refuse = () => {
    throw new Error("the journal refused rows");
  };
  const journal = createJournal({ database, onRefused: refuse });
  return {
    name: "framerail",
    seed: async (turns) =>
      void (await driver.transaction(AS_CONNECTED, (sql) => sql.query(SEED, [JSON.stringify(turns)]))),
    end: (turn, end) => commitTurnEnd(database, turn.orgId, end),
    journal(rows) {
      for (const row of rows) journal.append(row);
      return journal.settled();
    },
    async close() {
      await journal.close();
      await driver.close();
    },
  };
}

/** As many connections as our driver has; statements prepared by name and, as ours, sent without waiting in between. */
export function createBarePostgres(url: string): Contender {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS_MAX, pipeline: true } as pg.PoolConfig);
  const names = new Map<string, string>();
  const nameOf = (text: string) => names.get(text) ?? names.set(text, `s${names.size}`).get(text);
  const run = async (statements: readonly Statement[]) => {
    const client = await pool.connect();
    try {
      await Promise.all([
        client.query("begin"),
        ...statements.map(({ text, values }) =>
          client.query({ name: nameOf(text), text, values: [...(values ?? [])] }),
        ),
        client.query("commit"),
      ]);
    } finally {
      client.release();
    }
  };
  return createBare("bare pg", run, () => pool.end());
}

/** In a thread, as ours is; a transaction is one message there and one back. */
export async function openBarePglite(folder: string): Promise<Contender> {
  const worker = new Worker(new URL("pglite-thread.mjs", import.meta.url), { workerData: folder });
  const waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  const expect = (id: number) => new Promise<void>((resolve, reject) => void waiting.set(id, { resolve, reject }));
  worker.on("message", ({ id, error }: { id: number; error?: string }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve();
    else one?.reject(new Error(error));
  });
  await expect(0);
  let last = 0;
  const run = (statements: readonly Statement[]) => {
    last += 1;
    const done = expect(last);
    worker.postMessage({ id: last, statements });
    return done;
  };
  return createBare("bare PGlite", run, async () => void (await worker.terminate()));
}

function createBare(
  name: string,
  run: (statements: readonly Statement[]) => Promise<void>,
  close: () => Promise<void>,
): Contender {
  return {
    name,
    seed: (turns) => run([{ text: SEED, values: [JSON.stringify(turns)] }]),
    end: (turn, end) => run(endStatements(turn, end)),
    journal: (rows) => run([journalStatement(rows)]),
    close,
  };
}
