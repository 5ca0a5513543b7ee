// The piece of an answer that every frame of every variant carries: 60 bytes, with the time of its writing where latency is
// measured. The clock is the machine's own, so that two processes read the same.

export const CHUNK = "Here are three offers near you that match what you asked for";

/** Stands in front of a stamp, and nowhere else in a frame. */
export const STAMP_MARK = 64;
export const STAMP_DIGITS = 15;

export function machineUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function stampedChunk(): string {
  return `@${String(machineUs()).padStart(STAMP_DIGITS, "0")}${CHUNK.slice(STAMP_DIGITS + 1)}`;
}
