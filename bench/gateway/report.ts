// The report: a table for each phase, and every goal with its figure.

import type { GatewayRow } from "./gateway-row.js";
import { JOURNAL, MEMORY, REDIS, STREAM_TEXT, UI_STREAM } from "./servers/servers.js";
import type { SideFigures } from "./sides.js";

export function printPhase(rows: readonly GatewayRow[]): void {
  const [{ pace, turns } = { pace: "", turns: 0 }] = rows;
  console.log(`\n${pace}, ${turns} ${turns === 1 ? "turn" : "turns"}`);
  console.log(`  ${"".padEnd(26)} CPU µs/frame   to floor   frames/s   reader µs/frame`);
  for (const { variant, cpuUsPerFrame, ratioToFloor, framesPerSecond, readerCpuUsPerFrame } of rows) {
    const cells = [
      cpuUsPerFrame.toFixed(2).padStart(12),
      `${ratioToFloor.toFixed(2)}×`.padStart(11),
      framesPerSecond.toFixed(0).padStart(11),
      readerCpuUsPerFrame.toFixed(2).padStart(15),
    ];
    console.log(`  ${variant.padEnd(26)}${cells.join("")}`);
  }
}

interface Goal {
  readonly what: string;
  readonly figure: number | undefined;
  readonly limit: number;
  readonly atLeast?: boolean;
}

/** Goals are for many turns: a lone turn is mostly what its process does beside it. */
export function printGoals(rows: readonly GatewayRow[], sides: SideFigures): void {
  const many = rows.filter(({ turns }) => turns >= 100);
  const phases = [...new Set(many.map(({ pace, turns }) => `${pace}, ${turns} turns`))];
  const find = (phase: string, name: string) =>
    many.find(({ pace, turns, variant }) => `${pace}, ${turns} turns` === phase && variant === name);
  const goals = phases.flatMap((phase): Goal[] => {
    const ratio = (name: string) => find(phase, name)?.ratioToFloor;
    const cheaper = (name: string) => (ratio(name) ?? Number.NaN) / (ratio(MEMORY) ?? Number.NaN);
    return [
      { what: `${phase}: memory to floor`, figure: ratio(MEMORY), limit: 1 },
      { what: `${phase}: memory + journal to floor`, figure: ratio(JOURNAL), limit: 1.2 },
      { what: `${phase}: Redis + Postgres to floor`, figure: ratio(REDIS), limit: 2.5 },
      { what: `${phase}: AI SDK UI stream to memory`, figure: cheaper(UI_STREAM), limit: 5, atLeast: true },
      { what: `${phase}: streamText to memory`, figure: cheaper(STREAM_TEXT), limit: 15, atLeast: true },
    ];
  });
  goals.push(
    { what: "latency p99: memory to floor", figure: sides.latencyRatio, limit: 1.5 },
    { what: "memory of an idle stream to a bare one", figure: sides.readerMemoryRatio, limit: 2 },
    { what: "memory of an idle turn with its reader to a bare stream", figure: sides.turnMemoryRatio, limit: 2 },
    { what: "resume, frames/s, the slowest", figure: sides.replayedPerSecondMin, limit: 50_000, atLeast: true },
  );
  console.log("\ngoals");
  for (const { what, figure = Number.NaN, limit, atLeast = false } of goals) {
    if (Number.isNaN(figure)) continue;
    const isReached = atLeast ? figure >= limit : figure <= limit;
    const says = `${atLeast ? "≥" : "≤"} ${limit}`;
    console.log(
      `  ${what.padEnd(58)} ${figure.toFixed(2).padStart(10)}   ${says.padEnd(8)} ${isReached ? "reached" : "missed"}`,
    );
  }
}
