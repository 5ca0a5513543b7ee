// Where the stream is counted: one row of numbers for each combination of the five dimensions, one cell for each series.
// A labelled counter hashes its labels on every call; a cell is found by one look-up and is a plain addition.
// Owns: rows and cells. Does not own: names and labels (metric-catalogue.ts), how they are shown (metrics.ts).
//   R1. Turns with the same dimensions share a row. Nothing is handed over at a turn's end, so a scrape in the middle of
//       a turn is as true as one after it.
//   R2. Rows are bounded: what is one too many is counted in the row that is "other" in all five.
//   R3. Counting never throws: a word that is not on its list is counted as "other".

import type { DimensionLabels, Dimensions } from "./dimensions.js";
import { boundValues, createDimensionFilter, DIMENSIONS, type DimensionValues, NONE, OTHER } from "./dimensions.js";
import { DIMENSION_SETS_MAX, STATUS_IDS_MAX } from "./limits.js";
import { type Metric, STREAM_COUNTERS } from "./metric-catalogue.js";

export interface Row {
  readonly labels: DimensionLabels;
  readonly cells: Float64Array;
}

/** What a cell is labelled with beside the dimensions. */
interface OwnLabels {
  readonly labels: Readonly<Record<string, string>>;
  readonly isOther: boolean;
}

/** The cells of one metric: one for each value of its label, or for each pair of its two. */
export class Family {
  readonly metric: Metric;
  readonly size: number;
  readonly #offset: number;
  readonly #labels: readonly OwnLabels[];
  readonly #first: ReadonlyMap<string, number>;
  readonly #firstOther: number;
  readonly #second: ReadonlyMap<string, number>;
  readonly #secondOther: number;

  constructor(metric: Metric, offset: number, statusIds: readonly string[]) {
    const labels = Object.entries(metric.labels ?? {});
    const values = labels.map(([, list]) => [...(typeof list === "string" ? statusIds : list), OTHER]);
    const [first = [OTHER], second = [OTHER]] = values;
    this.metric = metric;
    this.size = first.length * second.length;
    this.#offset = offset;
    this.#labels = first.flatMap((one) => second.map((two) => ownLabels(metric, [one, two])));
    this.#first = new Map(first.map((value, index) => [value, offset + index * second.length]));
    this.#firstOther = offset + (first.length - 1) * second.length;
    this.#second = new Map(second.map((value, index) => [value, index]));
    this.#secondOther = second.length - 1;
  }

  // R3
  cell(first: string): number {
    return this.#first.get(first) ?? this.#firstOther;
  }

  cellOfPair(first: string, second: string): number {
    return this.cell(first) + (this.#second.get(second) ?? this.#secondOther);
  }

  /** Every series of the row that has counted something; for some metrics also those that have not yet. */
  read({ labels, cells }: Row, visit: (labels: Record<string, string>, value: number) => void): void {
    for (const [index, own] of this.#labels.entries()) {
      const value = cells[this.#offset + index] ?? 0;
      if (value > 0 || (this.metric.zeros && !own.isOther)) visit({ ...labels, ...own.labels }, value);
    }
  }
}

function ownLabels({ labels = {} }: Metric, words: readonly string[]): OwnLabels {
  const own = Object.keys(labels).map((name, place): [string, string] => [name, words[place] ?? OTHER]);
  return { labels: Object.fromEntries(own), isOther: own.some(([, word]) => word === OTHER) };
}

export type Layout = { readonly [K in keyof typeof STREAM_COUNTERS]: Family };

export interface StreamRows {
  readonly layout: Layout;
  readonly all: Iterable<Row>;
  find(dimensions: Dimensions): Row;
}

export function createStreamRows(values: DimensionValues, statusIds: readonly string[]): StreamRows {
  const ids = boundValues(statusIds, STATUS_IDS_MAX);
  let cellCount = 0;
  const families = Object.entries(STREAM_COUNTERS).map(([key, metric]) => {
    const family = new Family(metric, cellCount, ids);
    cellCount += family.size;
    return [key, family];
  });
  const layout = Object.fromEntries(families) as Layout;
  const filter = createDimensionFilter(values);
  const rows = new Map<string, Row>();
  const rowOf = (labels: DimensionLabels): Row => {
    const key = DIMENSIONS.map((name) => labels[name]).join("\n");
    const row = rows.get(key);
    if (row !== undefined) return row;
    // R2
    if (rows.size >= DIMENSION_SETS_MAX && labels !== ALL_OTHER) return rowOf(ALL_OTHER);
    const made = { labels, cells: new Float64Array(cellCount) };
    rows.set(key, made);
    return made;
  };
  // There from the start, so that what must stay zero is seen as zero.
  rowOf(allAre(NONE));
  return { layout, all: { [Symbol.iterator]: () => rows.values() }, find: (given) => rowOf(filter(given)) };
}

function allAre(value: string): DimensionLabels {
  return {
    vertical: value,
    sub_agent_id: value,
    dm_type: value,
    experiment_arm: value,
    agent_definition_version: value,
  };
}

const ALL_OTHER = allAre(OTHER);
