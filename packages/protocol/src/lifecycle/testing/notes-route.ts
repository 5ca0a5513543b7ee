// A small route and a producer that keeps a diary, for the tests of guard-stream.

import type { GuardStreamOptions, StreamReport } from "../guard-stream.js";
import { guardStream } from "../guard-stream.js";
import type { StreamProtocolSpec } from "../spec.js";

export interface Note {
  readonly type: string;
  readonly says?: string;
}

/** A small route of our own: hello or log first, then data and log, then bye [L-26]. */
export const spec: StreamProtocolSpec<Note> = {
  route: "notes",
  allow_in_prelude: ({ type }) => type === "hello" || type === "log",
  allow_in_streaming: ({ type }) => type === "data" || type === "log",
  is_terminal: ({ type }) => type === "bye",
  on_violation: ({ message }) => ({ type: "bye", says: message }),
  on_thrown_error: () => ({ type: "bye", says: "failed" }),
};
export const note = (type: string): Note => ({ type });

/** A producer that keeps a diary of how it was treated. */
export function produce(messages: unknown[], ending: "return" | "hang" | Error = "return") {
  const diary: string[] = [];
  async function* run(): AsyncGenerator<Note> {
    try {
      for (const message of messages) yield message as Note;
      if (ending === "hang") await new Promise(() => undefined);
      if (ending instanceof Error) throw ending;
      diary.push("finished");
    } finally {
      diary.push("released");
    }
  }
  return { source: run(), diary };
}

export async function read(source: AsyncIterable<Note>, options: GuardStreamOptions<Note> = {}, route = spec) {
  const reports: StreamReport[] = [];
  const seen: Note[] = [];
  for await (const message of guardStream(route, source, { onReport: (report) => reports.push(report), ...options })) {
    seen.push(message);
  }
  return { seen, reports, types: seen.map(({ type }) => type) };
}
