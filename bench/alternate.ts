// Runs variants of the same work in turns and compares them. On a noisy machine a figure means little and a ratio of
// figures taken side by side means much: so each round runs every variant once, in an order that changes with the
// round, and the report gives medians and ratios to the first variant.
// Measures CPU time of this process (user + system), not wall time.

export interface Variant {
  readonly name: string;
  /** Does the work `times` times. Returns something that depends on all of it, so that none of it can be left out. */
  run(times: number): number | Promise<number>;
}

export interface Measurement {
  readonly name: string;
  /** CPU nanoseconds per frame, median over the rounds. */
  readonly cpuNs: number;
  readonly ratio: number;
}

export interface AlternateOptions {
  readonly rounds: number;
  readonly times: number;
  /** Frames that one time makes. */
  readonly framesPerTime: number;
}

export async function alternate(
  variants: readonly Variant[],
  { rounds, times, framesPerTime }: AlternateOptions,
): Promise<Measurement[]> {
  const samples = variants.map((): number[] => []);
  for (const variant of variants) consume(await variant.run(times));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < variants.length; turn += 1) {
      const index = (turn + round) % variants.length;
      const start = process.cpuUsage();
      consume(await (variants[index] as Variant).run(times));
      const { user, system } = process.cpuUsage(start);
      (samples[index] as number[]).push(((user + system) * 1000) / (times * framesPerTime));
    }
  }
  const medians = samples.map(median);
  return variants.map(({ name }, index) => {
    const cpuNs = medians[index] as number;
    return { name, cpuNs, ratio: cpuNs / (medians[0] as number) };
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

let sink = 0;
function consume(value: number): void {
  sink = (sink + value) | 0;
}

/** One case of a report: a row per variant, with its ratio to the first. */
export function printCase(name: string, measured: readonly Measurement[]): void {
  console.log(name);
  for (const { name: variant, cpuNs, ratio } of measured) {
    console.log(`  ${variant.padEnd(24)} ${cpuNs.toFixed(0).padStart(8)} ns CPU/frame   ${ratio.toFixed(2)}×`);
  }
  console.log("");
}
