// What does it cost to guard and encode one frame, against JSON.stringify of the same object?
// Measured: CPU per frame from a payload to bytes in a buffer, so that a lazily joined string is paid for by whoever made
// it. Not measured: policy, log, sockets, garbage collection beyond what the rounds themselves cause.
//   stringify            JSON.stringify of a frame object that is there already, timestamp included: the floor
//   build + stringify    the same, making the object and its timestamp first, as code without a template must
//   guard + encode       ours: lifecycle guard, schema check, envelope, JSON, size bound, and its share of opening a turn

import type { FrameType, PayloadOf } from "@framerail/protocol";
import { createFrameEncoder, createTurnGuard, systemClock } from "@framerail/protocol";
import type { Variant } from "../alternate.js";
import { alternate, printCase } from "../alternate.js";
import type { BenchRow } from "../bench-row.js";

const RESPONSE_ID = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11";
const BUFFER = Buffer.allocUnsafe(1 << 20);
const ROUNDS = 61;
/** Our side starts a new turn, with its guard and encoder, after so many frames: what a turn costs is part of a frame's cost. */
const FRAMES_PER_TURN = 100;

export interface Case {
  readonly name: string;
  /** Played in this order, again and again. */
  readonly frames: readonly { readonly type: FrameType; readonly payload: PayloadOf<FrameType> }[];
  /** How often per round. */
  readonly times: number;
  /** Called before each time, in every variant alike. */
  prepare?(time: number): void;
}

const text = (name: string, chunk: string): Case => ({
  name: `text, ${name}`,
  frames: [{ type: "text", payload: { chunk } }],
  times: 30_000,
});
const offer = (index: number) => ({
  id: `OFF_${index}`,
  title: "Two for one on roasted coffee",
  price: 4.99,
  tags: ["coffee", "near"],
});
/** A tool has a new id each time: the guard refuses one that it has seen. */
const tool = { id: "", name: "search_offers", type: "mcp" };

/** The frames of a usual answer, and one large component. */
export const CASES: readonly Case[] = [
  text("60 plain characters", "Here are three offers near you that match what you asked for"),
  text("5 characters (one token)", " near"),
  text("quotes and a line break", 'She said "two for one",\nand then she left for the station'),
  text("Japanese and emoji", "近くのお得な情報を三つ見つけました 🎉 コーヒーが半額です"),
  {
    name: "status",
    frames: [
      { type: "status", payload: { data: { event_id: "searching_offers", message: "Searching offers near you" } } },
    ],
    times: 30_000,
  },
  {
    name: "tool_call and tool_completed",
    frames: [
      { type: "tool_call", payload: { tool_call: tool } },
      { type: "tool_completed", payload: { tool_call: tool } },
    ],
    times: 10_000,
    prepare(time) {
      tool.id = `call_${time}`;
    },
  },
  {
    name: "data_loaded, 20 items",
    frames: [
      {
        type: "data_loaded",
        payload: {
          data: {
            id: "offers-1",
            type: "offer_list",
            key: { ids: [{ id: "OFF_1" }] },
            items: Array.from({ length: 20 }, (_, index) => offer(index)),
          },
        },
      },
    ],
    times: 2_000,
  },
];

export async function benchProtocol(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const one of CASES) {
    const measured = await alternate(variantsOf(one), {
      rounds: ROUNDS,
      times: one.times,
      framesPerTime: one.frames.length,
    });
    printCase(one.name, measured);
    for (const { name, cpuNs, ratio } of measured) {
      rows.push({ case: one.name, variant: name, cpuNsPerFrame: Math.round(cpuNs), ratio });
    }
  }
  return rows;
}

export function variantsOf({ frames, prepare }: Case): Variant[] {
  return [
    {
      name: "stringify",
      run(times) {
        const timestamp = new Date().toISOString();
        const ready = frames.map(({ type, payload }) => {
          return { event_type: type, version: "0.5", timestamp, response_id: RESPONSE_ID, seq: 0, ...payload };
        });
        return play(times, ready, prepare, (frame, seq) => {
          frame.seq = seq;
          return JSON.stringify(frame);
        });
      },
    },
    {
      name: "build + stringify",
      run: (times) =>
        play(times, frames, prepare, ({ type, payload }, seq) => {
          const timestamp = new Date().toISOString();
          return JSON.stringify({
            event_type: type,
            version: "0.5",
            timestamp,
            response_id: RESPONSE_ID,
            seq,
            ...payload,
          });
        }),
    },
    {
      name: "guard + encode",
      run(times) {
        let encoder = openEncoder();
        let guard = openGuard();
        return play(times, frames, prepare, ({ type, payload }, seq) => {
          if (seq % FRAMES_PER_TURN === 1) {
            encoder = openEncoder();
            guard = openGuard();
          }
          if (guard.admit(type, payload) !== "pass") throw new Error(`the guard refused a ${type}`);
          return encoder.encode(type, seq, payload);
        });
      },
    },
  ];
}

const openEncoder = () => createFrameEncoder({ responseId: RESPONSE_ID, clock: systemClock });

function openGuard() {
  const guard = createTurnGuard();
  guard.admit("response_id", {});
  return guard;
}

/** Encodes every frame of the case into the buffer, and gives how many bytes that were. */
function play<F>(
  times: number,
  frames: readonly F[],
  prepare: Case["prepare"],
  encode: (frame: F, seq: number) => string,
): number {
  let bytes = 0;
  let seq = 0;
  for (let time = 0; time < times; time += 1) {
    prepare?.(time);
    for (let index = 0; index < frames.length; index += 1) {
      seq += 1;
      bytes += BUFFER.write(encode(frames[index] as F, seq));
    }
  }
  return bytes;
}
