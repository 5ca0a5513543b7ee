// Ways of cutting bytes into pushes, and what a decoder says to each of them.

import { createNdjsonDecoder } from "../ndjson-decode.js";
import { createSseDecoder } from "../sse-decode.js";
import type { SseLog, SseReading } from "./reference-sse.js";

const encoder = new TextEncoder();

export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Pieces between the given positions, which may be in any order and out of range. */
export function cutAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const inside = positions.map((position) => position % (bytes.length + 1)).sort((a, b) => a - b);
  const edges = [0, ...inside, bytes.length];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

export function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}

/** One push, every cut in two, the same with an empty push between, every byte alone, and `count` cuts in several by a fixed sequence. */
export function* manyCuts(bytes: Uint8Array, count = 50): Generator<Uint8Array[]> {
  yield [bytes];
  for (let at = 0; at <= bytes.length; at += 1) {
    yield cutAt(bytes, [at]);
    yield cutAt(bytes, [at, at]);
  }
  yield bytewise(bytes);
  let seed = 1;
  for (let round = 0; round < count; round += 1) {
    const positions = Array.from({ length: 2 + (round % 5) }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    });
    yield cutAt(bytes, positions);
  }
}

export interface PushedReading extends SseReading {
  /** How long the log was after each push. */
  readonly lengths: readonly number[];
}

// Each push is a copy that is wiped afterwards: a decoder that refers to it later reads zeros.
function pushAndWipe(decoder: { push(bytes: Uint8Array): void }, piece: Uint8Array): void {
  const copy = piece.slice();
  decoder.push(copy);
  copy.fill(0);
}

export function decodeSsePushes(pieces: readonly Uint8Array[]): PushedReading {
  const log: SseLog = [];
  const decoder = createSseDecoder({
    onEvent: (event) => log.push({ kind: "event", ...event }),
    onComment: (text) => log.push({ kind: "comment", text }),
    onRetry: (ms) => log.push({ kind: "retry", ms }),
  });
  const lengths = pieces.map((piece) => {
    pushAndWipe(decoder, piece);
    return log.length;
  });
  return { log, lengths, ...decoder.end() };
}

/** A heartbeat is `null`. */
export function decodeNdjsonPushes(
  pieces: readonly Uint8Array[],
  options: { readonly acceptLastLine?: boolean } = {},
): { readonly log: (string | null)[]; readonly lengths: readonly number[]; readonly clean: boolean } {
  const log: (string | null)[] = [];
  const decoder = createNdjsonDecoder({
    onLine: (text) => log.push(text),
    onHeartbeat: () => log.push(null),
    ...options,
  });
  const lengths = pieces.map((piece) => {
    pushAndWipe(decoder, piece);
    return log.length;
  });
  return { ...decoder.end(), log, lengths };
}
