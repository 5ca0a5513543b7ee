// The phases of the bench: every contender in turns, the order changing with the round, as many rounds as are named here.

import { randomUUID } from "node:crypto";
import type { JournalRow } from "../../packages/framerail/dist/store/journal.js";
import { JOURNAL_BATCH_MAX } from "../../packages/framerail/dist/store/limits.js";
import { median } from "../alternate.js";
import type { Contender } from "./contenders.js";
import type { LoadResult } from "./load.js";
import { runFlatOut, runPaced } from "./load.js";
import { createEnd, createTurns } from "./turn-ends.js";

/** One line of the table, and of its JSON. */
export interface StoreRow {
  readonly case: string;
  readonly variant: string;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  /** To the first variant of the same case, in the same run. */
  readonly p50Ratio: number;
  readonly p99Ratio: number;
  readonly cpuRatio: number;
}

type Watch = <T>(phase: string, contender: Contender, work: () => Promise<T>) => Promise<T>;
type Call = () => Promise<void>;

const ROUNDS = 5;
const WARM_UP_ENDS = 500;
/** As many as there are connections: more would only wait in our own queue. */
const IN_FLIGHT = 10;
const EMITTER = "assistant";

const END_PHASES = [
  { name: "1 a second", count: 5, run: (calls: Call[]) => runPaced(calls, 1) },
  { name: "100 a second", count: 200, run: (calls: Call[]) => runPaced(calls, 100) },
  { name: "1000 a second", count: 1_000, run: (calls: Call[]) => runPaced(calls, 1_000) },
  { name: `flat out, ${IN_FLIGHT} at once`, count: 400, run: (calls: Call[]) => runFlatOut(calls, IN_FLIGHT) },
] as const;

const JOURNAL_PHASES = [
  { name: "20 rows a commit", rows: 20, commits: 100 },
  { name: `${JOURNAL_BATCH_MAX} rows a commit`, rows: JOURNAL_BATCH_MAX, commits: 10 },
] as const;

export async function runEnds(driver: string, contenders: readonly Contender[], watch: Watch): Promise<StoreRow[]> {
  for (const contender of contenders) await runFlatOut(await endCalls(contender, WARM_UP_ENDS), IN_FLIGHT);
  const rows: StoreRow[] = [];
  for (const { name, count, run } of END_PHASES) {
    const measured = await inTurns(contenders, async (contender) => {
      const calls = await endCalls(contender, count);
      return watch(`ends, ${name}`, contender, () => run(calls));
    });
    rows.push(...report(`${driver}, ends of turns, ${name}`, contenders, measured));
  }
  return rows;
}

export async function runJournal(driver: string, contenders: readonly Contender[], watch: Watch): Promise<StoreRow[]> {
  const rows: StoreRow[] = [];
  for (const phase of JOURNAL_PHASES) {
    const name = `journal, ${phase.name}`;
    const measured = await inTurns(contenders, async (contender) => {
      const calls = await journalCalls(contender, phase);
      const result = await watch(name, contender, () => runFlatOut(calls, 1));
      return { ...result, perSecond: result.perSecond * phase.rows, cpuUs: result.cpuUs / phase.rows };
    });
    rows.push(...report(`${driver}, ${name} (a second and CPU: rows)`, contenders, measured));
  }
  return rows;
}

async function endCalls(contender: Contender, count: number): Promise<Call[]> {
  const turns = createTurns(count);
  await contender.seed(turns);
  const ends = await Promise.all(turns.map(async (turn, index) => ({ turn, end: await createEnd(turn, index) })));
  return ends.map(
    ({ turn, end }) =>
      () =>
        contender.end(turn, end),
  );
}

async function journalCalls(
  contender: Contender,
  { rows, commits }: { rows: number; commits: number },
): Promise<Call[]> {
  const turns = createTurns(20);
  await contender.seed(turns);
  return Array.from({ length: commits }, (_, commit) => {
    const batch = Array.from({ length: rows }, (__, index): JournalRow => {
      const { orgId, turnId } = turns[index % turns.length] as (typeof turns)[number];
      const position = commit * rows + index + 1;
      return {
        org_id: orgId,
        turn_id: turnId,
        epoch: 1,
        position,
        after_seq: position,
        emitter: EMITTER,
        event: {
          type: "tool_call",
          tool_call_id: randomUUID(),
          tool_name: "search_offers",
          arguments: { query: "offers near the station with three rooms", limit: 20, sort: ["price", "distance"] },
          timestamp: position,
        },
      };
    });
    return () => contender.journal(batch);
  });
}

async function inTurns(
  contenders: readonly Contender[],
  run: (contender: Contender) => Promise<LoadResult>,
): Promise<LoadResult[]> {
  const samples = contenders.map((): LoadResult[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const index = (turn + round) % contenders.length;
      samples[index]?.push(await run(contenders[index] as Contender));
    }
  }
  return samples.map((results) => {
    const middle = (name: keyof LoadResult) => median(results.map((result) => result[name]));
    return { perSecond: middle("perSecond"), p50Ms: middle("p50Ms"), p99Ms: middle("p99Ms"), cpuUs: middle("cpuUs") };
  });
}

function report(name: string, contenders: readonly Contender[], measured: readonly LoadResult[]): StoreRow[] {
  const first = measured[0] as LoadResult;
  const rows = measured.map((result, index) => ({
    case: name,
    variant: contenders[index]?.name ?? "",
    ...result,
    p50Ratio: result.p50Ms / first.p50Ms,
    p99Ratio: result.p99Ms / first.p99Ms,
    cpuRatio: result.cpuUs / first.cpuUs,
  }));
  console.log(name);
  for (const row of rows) {
    const figure = (value: number, ratio: number) =>
      `${value.toFixed(2).padStart(8)} ${`(${ratio.toFixed(2)}×)`.padEnd(8)}`;
    console.log(
      `  ${row.variant.padEnd(12)} ${row.perSecond.toFixed(0).padStart(7)}/s   p50 ${figure(row.p50Ms, row.p50Ratio)} ` +
        `p99 ${figure(row.p99Ms, row.p99Ratio)} ms   CPU ${figure(row.cpuUs, row.cpuRatio)} µs`,
    );
  }
  console.log("");
  return rows;
}
