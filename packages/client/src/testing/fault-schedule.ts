// A schedule of faults by a seed, and a judge of what came through. Neither shares code with the client.

import type { FakeServer, Fault, Seen } from "./fake-server.js";
import { STORY } from "./story.js";

/** Numbers from 0 up to 1, always the same for one seed. */
export function seededRandom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Turns of any length and pace, of text mostly, with an end of any kind. */
export function randomScript(random: () => number): typeof STORY {
  const middle = Array.from({ length: Math.floor(random() * 30) }, (_, index): (typeof STORY)[number] => {
    const [, frame] = STORY[2 + Math.floor(random() * 8)] ?? [0, { event_type: "thinking" }];
    const waitMs = random() < 0.05 ? Math.floor(random() * 20_000) : Math.floor(random() * 400);
    return [waitMs, random() < 0.6 ? { event_type: "text", chunk: `${index}·` } : frame];
  });
  const ends = [
    { event_type: "completed" },
    { event_type: "completed", has_more: true },
    { event_type: "cancelled", error: { code: "IDLE_TIMEOUT" } },
    { event_type: "error", error: { code: "INTERNAL_ERROR" }, is_final: true },
  ];
  return [
    [0, { event_type: "response_id" }],
    ...middle,
    [5, ends[Math.floor(random() * ends.length)] ?? { event_type: "completed" }],
  ];
}

/** Up to `count` faults, never more than `inARow` of them without a stream that can bring something in between. */
export function randomFaults(random: () => number, count: number, inARow: number) {
  let left = Math.floor(random() * count);
  let row = 0;
  return ({ path }: Seen): Fault | undefined => {
    const isStream = /turns$|stream$/.test(path);
    if (left === 0 || row === inARow || random() < 0.25) {
      if (isStream) row = 0;
      return undefined;
    }
    left -= 1;
    row += 1;
    return pick(random, isStream);
  };
}

function pick(random: () => number, isStream: boolean): Fault {
  const bytes = Math.floor(random() ** 2 * 3_000);
  const answers: Fault[] = [
    { kind: "network" },
    { kind: "lost" },
    { kind: "hang" },
    { kind: "page" },
    { kind: "status", status: [500, 502, 503, 429][Math.floor(random() * 4)] ?? 500 },
    { kind: "status", status: 503, headers: { "retry-after": String(Math.floor(random() * 5)) } },
  ];
  const streams: Fault[] = [
    { kind: "break", bytes },
    { kind: "close", bytes },
    { kind: "silence", bytes },
    { kind: "repeat", frames: 1 + Math.floor(random() * 5) },
    { kind: "gap" },
    { kind: "slices", bytes: 1 + Math.floor(random() * 40) },
  ];
  const all = isStream ? [...answers, ...streams, ...streams] : answers;
  return all[Math.floor(random() * all.length)] ?? { kind: "network" };
}

/** What is wrong with what a reader got; empty when nothing is. */
export function judgeReader(server: FakeServer, got: readonly unknown[]): string[] {
  const wrong: string[] = [];
  if (server.turns.length !== 1) wrong.push(`${server.turns.length} turns were begun`);
  const logged = server.turns[0]?.frames ?? [];
  const read = got.map((frame) => JSON.stringify(frame));
  if (read.length !== logged.length) wrong.push(`${read.length} of ${logged.length} frames`);
  for (const [index, text] of read.entries()) if (text !== logged[index]) wrong.push(`frame ${index} differs`);
  if (server.open !== 0) wrong.push(`${server.open} connections are open`);
  return wrong;
}
