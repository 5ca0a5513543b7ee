// Runs variants of the same work in turns and compares them. On a noisy machine a figure means little and a ratio of
// figures taken side by side means much: so each round runs every variant once, in an order that changes with the
// round, and the report gives medians and ratios to the first variant.
// Measures CPU time of a process (user + system), not wall time.

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
  /**
   * Every variant works about so long in a round, as many times as it takes, `times` at least. A process that has waited
   * for the others begins slowly: in rounds of equal work that would be a large part of the cheapest one's.
   */
  readonly roundCpuMs?: number;
  /** Frames that one time makes. */
  readonly framesPerTime: number;
  /** Times that every variant runs before the first round. Default: as many as a round has. */
  readonly warmUpTimes?: number;
  /** Runs a variant and gives the CPU nanoseconds it took. Default: here, in this process. */
  measure?(variant: Variant, times: number): Promise<number>;
}

export async function alternate(
  variants: readonly Variant[],
  { rounds, times, roundCpuMs = 0, framesPerTime, warmUpTimes = times, measure = measureHere }: AlternateOptions,
): Promise<Measurement[]> {
  const samples = variants.map((): number[] => []);
  const timesOf: number[] = [];
  for (const variant of variants) {
    await measure(variant, warmUpTimes);
    const cpuMs = roundCpuMs > 0 ? (await measure(variant, times)) / 1e6 : roundCpuMs;
    timesOf.push(cpuMs < roundCpuMs ? Math.ceil((times * roundCpuMs) / cpuMs) : times);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < variants.length; turn += 1) {
      const index = (turn + round) % variants.length;
      const own = timesOf[index] as number;
      const cpuNs = await measure(variants[index] as Variant, own);
      (samples[index] as number[]).push(cpuNs / (own * framesPerTime));
    }
  }
  const medians = samples.map(median);
  return variants.map(({ name }, index) => {
    const cpuNs = medians[index] as number;
    return { name, cpuNs, ratio: cpuNs / (medians[0] as number) };
  });
}

/** CPU nanoseconds of this process for the variant's work. */
export async function measureHere(variant: Variant, times: number): Promise<number> {
  const start = process.cpuUsage();
  consume(await variant.run(times));
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The smallest value that at least `share` of all values do not exceed; for a sorted list that is not empty. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] as number;
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
