// An end that is stored is told: where a process died, or its log was away, between the commit and the terminal frame, the
// log gets what it lacks from the store [D-3, G1].
// Owns: finding such turns and telling them. Does not own: ending turns (run-turn.ts, seal-orphan.ts), when it looks
// (seal-turns.ts).
//   E1. The store is right: what is told is what it has, byte for byte.
//   E2. A turn is told in the next epoch, though nobody ran it there: whoever seemed dead may come back and try, too.
//   E3. What cannot be told now is told in a later round.

import { isFramerailError } from "@framerail/protocol";
import type { LoggedFrame } from "../log/frame-sink.js";
import type { TurnLog, TurnRef } from "../log/turn-log.js";
import type { Database } from "../store/database.js";
import type { LastEnd } from "../store/leases.js";
import { listLastEnds } from "../store/leases.js";
import { readFrames } from "../store/turn-frames.js";
import { GONE_MS_MAX, LAST_ENDS_MAX } from "./limits.js";

export interface EndTellerOptions {
  readonly database: Database;
  readonly log: TurnLog;
  /** Hears of a turn that could not be told (E3). */
  report(turnId: string, error: unknown): void;
}

export interface EndTeller {
  /** Looks at the turns asked for and at the last ones of dead processes; gives those that are still to be told. */
  round(asked: ReadonlySet<string>): Promise<ReadonlySet<string>>;
}

export function createEndTeller(options: EndTellerOptions): EndTeller {
  const { database, report } = options;
  /** Those of the last round that need no second look. */
  let told: ReadonlySet<string> = new Set();
  return {
    async round(asked) {
      const limits = { goneMsMax: GONE_MS_MAX, max: LAST_ENDS_MAX };
      const [nowTold, untold] = [new Set<string>(), new Set<string>()];
      for (const end of await listLastEnds(database, { asked: [...asked], ...limits })) {
        const turnId = end.turn_id;
        try {
          if (!told.has(turnId)) await tellEnd(options, end);
          nowTold.add(turnId);
        } catch (error) {
          // Another has it, and tells it.
          if (isFramerailError(error) && error.code === "STALE_EPOCH") nowTold.add(turnId);
          else {
            untold.add(turnId);
            report(turnId, error);
          }
        }
      }
      told = nowTold;
      return untold;
    },
  };
}

async function tellEnd({ database, log }: EndTellerOptions, { org_id: orgId, turn_id: turnId, ...end }: LastEnd) {
  const view = await log.attach(turnId);
  if (view !== undefined) log.detach(turnId, view);
  // What the log does not have at all is read from the store.
  if (view === undefined || view.sealed) return;
  const turn = { orgId, turnId, epoch: end.epoch + 1 };
  const loggedSeq = (await log.takeOver(turn)).at(-1)?.seq ?? 0;
  const rest: LoggedFrame[] = [];
  for (let more = true; more; ) {
    const page = await readFrames(database, orgId, turnId, rest.at(-1)?.seq ?? loggedSeq);
    rest.push(...page.frames);
    more = page.more;
  }
  await endLog(log, turn, rest);
}

/** Appends the last frames of a turn that has ended in the store. Throws where the log does not take them. */
export async function endLog(log: TurnLog, turn: TurnRef, closing: readonly LoggedFrame[]): Promise<void> {
  const [first, terminal] = [closing[0], closing.at(-1)];
  if (first !== undefined && terminal !== undefined) {
    const appender = log.open(turn, { lastSeq: first.seq - 1 });
    for (const frame of closing.slice(0, -1)) appender.append(frame);
    try {
      await appender.seal(terminal);
    } catch (error) {
      appender.abandon();
      throw error;
    }
  }
  log.forget(turn.turnId);
}
