// Reads a page in the text format of Prometheus, by the format's own rules and without the library that wrote it.

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  /** By metric: counter, gauge, histogram. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly series: readonly Series[];
  /** The sum over the series that have these labels; undefined where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** By the value of one label, those that are not zero. */
  by(name: string, label: string, labels?: Readonly<Record<string, string>>): Record<string, number>;
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,?)/y;

export function readExposition(page: string): Exposition {
  if (!page.endsWith("\n")) throw new Error("a page ends with a line feed");
  const kinds = new Map<string, string>();
  const series: Series[] = [];
  for (const line of page.split("\n")) {
    const [mark, what, name = "", rest = ""] = line.split(" ");
    if (mark === "#" && what === "TYPE") {
      if (kinds.has(name)) throw new Error(`${name} is there twice`);
      kinds.set(name, rest);
    } else if (line !== "" && mark !== "#") series.push(readSeries(line));
  }
  const keys = series.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).sort()]));
  if (new Set(keys).size !== keys.length) throw new Error("a series is there twice");
  const matching = (name: string, labels: Readonly<Record<string, string>>) =>
    series.filter(
      (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    );
  return {
    kinds,
    series,
    value(name, labels = {}) {
      const found = matching(name, labels);
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
    by(name, label, labels = {}) {
      const counts: Record<string, number> = {};
      for (const { labels: own, value } of matching(name, labels)) {
        const key = own[label] ?? "";
        if (value !== 0) counts[key] = (counts[key] ?? 0) + value;
      }
      return counts;
    },
  };
}

function readSeries(line: string): Series {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0] ?? "";
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === "{") {
    at += 1;
    while (line[at] !== "}") {
      LABEL.lastIndex = at;
      const match = LABEL.exec(line);
      if (match === null) throw new Error(`no label at ${at}: ${line}`);
      const [whole, key = "", value = ""] = match;
      if (Object.hasOwn(labels, key)) throw new Error(`label ${key} twice: ${line}`);
      labels[key] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
      at += whole.length;
    }
    at += 1;
  }
  const text = line.slice(at).trim();
  const value = text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text);
  if (name === "" || text === "" || (Number.isNaN(value) && !/^nan$/i.test(text)))
    throw new Error(`no series: ${line}`);
  return { name, labels, value };
}
