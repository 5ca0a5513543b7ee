// How long does one call of the writer hold its author up?
// Measured: wall time of every single call, from writer().text() or .status() to bytes in the sink, each by its own pair
// of clock readings, whose cost is in it. Not measured: sockets, storage. It is wall time, so what else the machine does
// is in the last percentiles.
//   text                one after another, as a model's chunk with many tokens is taken apart
//   text, one a tick    each in a turn of the event loop of its own, as tokens arrive
//   status              look-up by id, filled and rendered in the reader's language, paced, guarded, encoded

import { setImmediate } from "node:timers/promises";
import { systemClock } from "@framerail/protocol";
import type { Writer } from "../../packages/framerail/dist/agent/writer.js";
import { writer } from "../../packages/framerail/dist/agent/writer.js";
import { createPolicy } from "../../packages/framerail/dist/policy/create-policy.js";
import type { Registry } from "../../packages/framerail/dist/registry/registry.js";
import { percentile } from "../alternate.js";
import { CHUNK, playTurn } from "./play-turn.js";

const STATUS_ID = "searching_offers";
const RENDER_KEY = "status.searching_offers";
const STATUSES_PER_SECOND = 100;

const REGISTRY: Registry = {
  entries: new Map([
    [
      STATUS_ID,
      {
        id: STATUS_ID,
        description: "Offers are searched",
        default_render_key: RENDER_KEY,
        default_policy: "transform",
        emitter_subagents: ["assistant"],
        lifecycle: "active",
        owner: "bench",
        file: "status_events.yaml",
        line: 1,
      },
    ],
  ]),
  locales: new Map([
    ["en", { tag: "en", messages: new Map([[RENDER_KEY, "Searching {count} offers near {place}…"]]) }],
  ]),
  defaultLocale: "en",
  hash: "",
};

// Otherwise most of a turn's many statuses would be swallowed or held back, and those are cheaper.
const limits = { collapseMs: 0, statusesPerSecond: STATUSES_PER_SECOND };
const policy = createPolicy({ registry: REGISTRY, locale: "en", clock: systemClock, limits });

interface Latency {
  readonly name: string;
  readonly callsPerTurn: number;
  readonly turns: number;
  readonly warmUpTurns: number;
  readonly oneATick?: boolean;
  call(own: Writer, index: number): void;
}

const text = (own: Writer) => own.text(CHUNK);

const LATENCIES: readonly Latency[] = [
  { name: "text", callsPerTurn: 1_000, turns: 200, warmUpTurns: 50, call: text },
  { name: "text, one a tick", callsPerTurn: 1_000, turns: 50, warmUpTurns: 10, oneATick: true, call: text },
  {
    name: "status",
    callsPerTurn: STATUSES_PER_SECOND,
    turns: 200,
    warmUpTurns: 50,
    call: (own, index) => own.status(STATUS_ID, { count: index, place: "the station" }),
  },
];

export async function printLatencies(): Promise<void> {
  console.log("wall time of one call, each measured by itself");
  for (const latency of LATENCIES) {
    const us = (await measureCalls(latency)).sort();
    const at = (share: number) => percentile(us, share).toFixed(2).padStart(8);
    const figures = `p50 ${at(0.5)}   p95 ${at(0.95)}   p99 ${at(0.99)}   max ${at(1)} µs`;
    console.log(`  ${latency.name.padEnd(24)} ${figures}   of ${us.length} calls`);
  }
  console.log("");
}

async function measureCalls(latency: Latency): Promise<Float64Array> {
  const { callsPerTurn, turns, warmUpTurns, oneATick = false, call } = latency;
  const us = new Float64Array(turns * callsPerTurn);
  for (let turn = -warmUpTurns; turn < turns; turn += 1) {
    const { frames } = await playTurn({
      policy,
      async run() {
        for (let index = 0; index < callsPerTurn; index += 1) {
          if (oneATick) await setImmediate();
          const start = performance.now();
          call(writer(), index);
          const tookUs = (performance.now() - start) * 1_000;
          if (turn >= 0) us[turn * callsPerTurn + index] = tookUs;
        }
      },
    });
    // The first frame and the last: a call that showed nothing would be a call too cheap.
    if (frames !== callsPerTurn + 2) throw new Error(`${latency.name}: ${frames} frames of ${callsPerTurn} calls`);
  }
  return us;
}
