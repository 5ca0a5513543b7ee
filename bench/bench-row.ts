// One line of a bench's report, and of its JSON.

export interface BenchRow {
  readonly case: string;
  readonly variant: string;
  readonly cpuNsPerFrame: number;
  /** To the first variant of the same case, in the same run. */
  readonly ratio: number;
}
