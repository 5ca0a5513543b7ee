// What does a frame cost in the process that reads it, and does a long answer cost more per frame than a short one?
// Measured: CPU of the reader's process for each piece of text, from fetch to what an application sees, on answers that a
// real HTTP server in another process sends; every reader in a process of its own, warmed up, alternated, medians. Not
// measured: the server, a browser, rendering.
//   fetch and TextDecoder   the floor: the same bytes, of which nothing is understood
//   eventsource-parser      and JSON.parse: understood, not checked, nothing kept
//   ours, decoders alone    @framerail/protocol: understood and checked, nothing kept
//   ours, client            session.send(), its state looked at as a screen does, at most every 16 ms; resumable
//   ours, frame by frame    the same turn in `for await`
//   AI SDK, chunks          DefaultChatTransport on its own wire: understood and checked, nothing kept
//   AI SDK, messages        and readUIMessageStream, which is what its hooks show

import { fileURLToPath } from "node:url";
import type { Measurement } from "../alternate.js";
import { alternate, printCase } from "../alternate.js";
import type { BenchRow } from "../bench-row.js";
import { type Child, openChild } from "../gateway/child.js";
import type { Pace } from "./asked.js";
import type { ReadRequest } from "./reader-process.js";
import {
  CHUNKS,
  CLIENT,
  CLIENT_FRAMES,
  CLIENT_NDJSON,
  EVERY_LETTER,
  EVERY_PIECE,
  FLOOR,
  MESSAGES,
  PARSER,
  PROTOCOL,
} from "./readers/readers.js";

const SERVER = fileURLToPath(new URL("answer-server.ts", import.meta.url));
const READER = fileURLToPath(new URL("reader-process.ts", import.meta.url));

const ALL = [FLOOR, PARSER, PROTOCOL, CLIENT, CLIENT_NDJSON, CLIENT_FRAMES, CHUNKS, MESSAGES];
const SHORT_PIECES = 10_000;
const LONG_PIECES = 100_000;
const LENGTH_RATIO_MAX = 1.2;

interface Case {
  readonly name: string;
  readonly pace: Pace;
  /** The reader, and how long its answers are; the first row is what the others are compared with. */
  readonly rows: readonly { readonly reader: string; readonly pieces: number; readonly shown?: string }[];
  readonly piecesPerTime: number;
  readonly rounds: number;
  readonly times: number;
  readonly warmUpTimes: number;
}

const lengthCase = (reader: string, rounds: number): Case => ({
  name: `${reader}: an answer of ${LONG_PIECES} pieces beside answers of ${SHORT_PIECES}`,
  pace: "at_once",
  rows: [
    { reader, pieces: SHORT_PIECES, shown: `${SHORT_PIECES} pieces` },
    { reader, pieces: LONG_PIECES, shown: `${LONG_PIECES} pieces` },
  ],
  piecesPerTime: LONG_PIECES,
  rounds,
  times: 1,
  warmUpTimes: 1,
});

const CASES: readonly Case[] = [
  {
    name: "2000 pieces, as fast as they are read",
    pace: "at_once",
    rows: ALL.map((reader) => ({ reader, pieces: 2_000 })),
    piecesPerTime: 2_000,
    rounds: 9,
    times: 10,
    warmUpTimes: 20,
  },
  {
    name: "500 pieces, one at a time",
    pace: "one_by_one",
    rows: ALL.map((reader) => ({ reader, pieces: 500 })),
    piecesPerTime: 500,
    rounds: 5,
    times: 1,
    warmUpTimes: 2,
  },
  lengthCase(FLOOR, 5),
  lengthCase(CLIENT_FRAMES, 5),
  lengthCase(CLIENT, 7),
  lengthCase(EVERY_PIECE, 3),
  lengthCase(EVERY_LETTER, 3),
];

export async function benchClient(args: readonly string[]): Promise<BenchRow[]> {
  const isQuick = args.includes("--quick");
  const server = openChild<object>(SERVER, []);
  try {
    const origin = `http://127.0.0.1:${await server.ask<number>({})}`;
    const rows: BenchRow[] = [];
    for (const one of CASES) {
      const measured = await runCase(origin, isQuick ? { ...one, rounds: 1 } : one);
      printCase(one.name, measured);
      for (const { name: variant, cpuNs, ratio } of measured)
        rows.push({ case: one.name, variant, cpuNsPerFrame: Math.round(cpuNs), ratio });
    }
    printGoal(rows);
    return rows;
  } finally {
    await server.close();
  }
}

async function runCase(origin: string, one: Case): Promise<Measurement[]> {
  const children: Child<ReadRequest>[] = [];
  const variants = one.rows.map(({ reader, pieces, shown = reader }) => {
    const child = openChild<ReadRequest>(READER, [reader]);
    children.push(child);
    const answers = one.piecesPerTime / pieces;
    const run = (times: number) => child.ask<number>({ origin, pieces, pace: one.pace, times: times * answers });
    return { name: shown, run };
  });
  try {
    return await alternate(variants, {
      rounds: one.rounds,
      times: one.times,
      warmUpTimes: one.warmUpTimes,
      framesPerTime: one.piecesPerTime,
      measure: async (variant, times) => variant.run(times),
    });
  } finally {
    await Promise.all(children.map((child) => child.close()));
  }
}

function printGoal(rows: readonly BenchRow[]): void {
  const name = lengthCase(CLIENT, 1).name;
  const long = rows.find((row) => row.case === name && row.variant === `${LONG_PIECES} pieces`);
  const ratio = long?.ratio ?? Number.NaN;
  const says = ratio <= LENGTH_RATIO_MAX ? "reached" : "missed";
  console.log(
    `goal: a piece of the long answer costs at most ${LENGTH_RATIO_MAX}× one of a short one: ${ratio.toFixed(2)}×, ${says}`,
  );
}
