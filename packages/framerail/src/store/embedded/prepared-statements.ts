// Statements of the embedded database, parsed and planned once: the program has a fixed set of texts, and here reading and
// planning one costs more than running it.
// Owns: names, and the wire's messages for a statement. Does not own: transactions (pglite-thread.ts).
//   S1. Texts with values are kept, at most PREPARED_MAX of them; any other is parsed each time.
//   S2. A text that the database refused is not kept, and is refused anew.
//   S3. What opens a transaction goes ahead of its first statement, in the same message: where the opening failed, the
//       database refuses the statement too, and the first failure is the one that is told.
//   S4. A plan fits the tables as they were when it was made, and nothing here tells the database that they have grown
//       since. So all plans are made anew after every PLANS_TRANSACTIONS_MAX transactions.

import type { PGlite } from "@electric-sql/pglite";
import { parse, protocol } from "@electric-sql/pglite";
import { PLANS_TRANSACTIONS_MAX, PREPARED_MAX } from "../limits.js";
import type { SqlValue, Statement } from "../sql.js";

const { serialize } = protocol;

type WireMessages = Awaited<ReturnType<PGlite["execProtocol"]>>["messages"];

interface Prepared {
  /** "" for one that is not kept. */
  readonly name: string;
  /** Postgres's numbers of the types that its values have. */
  readonly types: readonly number[];
}

export interface PreparedStatements {
  /** Runs one statement, after `opening` where there is one, and gives its rows. */
  query(statement: Statement, opening?: string): Promise<readonly object[]>;
}

export function createPreparedStatements(database: PGlite): PreparedStatements {
  const kept = new Map<string, Prepared>();
  // Not the number of those kept: a name that was given once may be known to the database (S2).
  let named = 0;
  let opened = 0;

  const open = (opening: string): Uint8Array[] => {
    opened += 1;
    // S4
    const renewal = opened % PLANS_TRANSACTIONS_MAX === 0 ? [serialize.query("discard plans")] : [];
    return [...renewal, serialize.query(opening)];
  };

  const prepare = async (text: string, isKept: boolean, ahead: readonly Uint8Array[]): Promise<Prepared> => {
    if (isKept) named += 1;
    const name = isKept ? `framerail_${named}` : "";
    const messages = await sendWire(
      database,
      ...ahead,
      serialize.parse({ name, text }),
      serialize.describe({ type: "S", name }),
      serialize.sync(),
    );
    const prepared = { name, types: parse.parseDescribeStatementResults(messages) };
    if (isKept) kept.set(text, prepared);
    return prepared;
  };

  return {
    async query({ text, values = [] }, opening) {
      let ahead = opening === undefined ? [] : open(opening);
      let prepared = kept.get(text);
      if (prepared === undefined) {
        prepared = await prepare(text, values.length > 0 && kept.size < PREPARED_MAX, ahead);
        ahead = [];
      }
      const { name, types } = prepared;
      const messages = await sendWire(
        database,
        ...ahead,
        serialize.bind({ statement: name, values: values.map((value, at) => toWire(database, types[at], value)) }),
        serialize.describe({ type: "P" }),
        serialize.execute({}),
        serialize.sync(),
      );
      return (parse.parseResults(messages, database.parsers).at(-1)?.rows ?? []) as object[];
    },
  };
}

/** In one go: after a refusal the database passes over what is left, up to the sync. Throws the first refusal. */
export async function sendWire(database: PGlite, ...messages: readonly Uint8Array[]): Promise<WireMessages> {
  return (await database.execProtocol(Buffer.concat(messages), { syncToFs: false })).messages;
}

function toWire(database: PGlite, type: number | undefined, value: SqlValue) {
  if (value === null) return null;
  // As they are; the library's own way would spell every byte out.
  if (value instanceof Uint8Array) return value;
  const write = type === undefined ? undefined : database.serializers[type];
  return write === undefined ? String(value) : write(value);
}
