// Secrets to look for: each is a word that stands nowhere else, put into one place of one turn.
// Owns: making them, and judging a turn that has ended. Does not own: where they are put.
//   K1. A `secret` must reach operators (taps, reports, failures), so that a turn in which nothing happened proves nothing.
//   K2. A `dropped` one reaches nobody: what holds it is taken off at a border. The turn's witness shows it came that far.
//   K3. No secret is in any byte that a client gets, nor in the answer that its pieces make together.

import { inspect } from "node:util";
import { systemClock } from "@framerail/protocol";
import { expect } from "vitest";
import type { Agent } from "../../agent/agent.js";
import type { Principal } from "../../agent/principal.js";
import type { RunTurnOptions } from "../../dispatch/run-turn.js";
import { INPUT, PRINCIPAL, start } from "../../dispatch/testing/turn-bench.js";
import { createPolicy } from "../../policy/create-policy.js";
import { agentStep } from "../run-agent.js";
import { registry, shownIn } from "./example-turn.js";

/** What no frame has a reason to hold, whoever wrote it: this machine, its addresses, its stacks, a bearer's key. */
const NEVER = [process.cwd(), "node_modules", "127.0.0.1", "localhost", "ECONN", "    at ", "Error:", "sk-very-secret"];

export interface Canaries {
  secret(place: string): string;
  dropped(place: string): string;
  /** Hears what an agent tells operators. */
  readonly report: (report: unknown) => void;
  /** Starts a turn with the example registry and the real policy. */
  start(agent: Agent, options?: CanaryOptions): ReturnType<typeof start>;
  /** Judges the turns that were started; `witness` is in what their client was shown. */
  judge(witness: RegExp): Promise<void>;
}

export interface CanaryOptions extends Partial<RunTurnOptions> {
  readonly principal?: Principal;
}

export function createCanaries(): Canaries {
  const words = { secret: [] as string[], dropped: [] as string[] };
  const heard: unknown[] = [];
  const turns: ReturnType<typeof start>[] = [];
  const make = (kind: keyof typeof words) => (place: string) => {
    const word = `canary_${words.secret.length + words.dropped.length}_${place}`;
    words[kind].push(word);
    return word;
  };
  const hear = (report: unknown) => void heard.push(report);
  return {
    secret: make("secret"),
    dropped: make("dropped"),
    report: hear,
    start(agent, { principal = PRINCIPAL, ...options } = {}) {
      const policy = createPolicy({ registry, locale: "en", clock: systemClock, onUnfilled: hear });
      const turn = start(agent, { step: agentStep(agent, INPUT, principal), policy, ...options });
      turns.push(turn);
      return turn;
    },
    async judge(witness) {
      expect(turns).not.toEqual([]);
      for (const { turn, sink, events, reports, failures } of turns) {
        await turn.ended;
        const shown = JSON.stringify(shownIn(sink));
        expect(shown).toMatch(witness);
        // Both: the bytes, and the answer put together, since a piece may end in the middle of a word.
        const wire = sink.wire() + shown;
        expect(wire).not.toMatch(/canary/i);
        for (const never of NEVER) expect(wire).not.toContain(never);
        const known = show([events, reports, failures, heard]);
        for (const word of words.secret) expect(known).toContain(word);
        for (const word of words.dropped) expect(known).not.toContain(word);
      }
    },
  };
}

/** Everything of a value, whatever is hidden how deep: messages, stacks, causes, headers, bodies. */
function show(value: unknown): string {
  return inspect(value, {
    depth: 20,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  });
}

/** An error as the world throws them: a password, a host and a path in its words, and the like in its stack and cause. */
export function leakyError({ secret }: Pick<Canaries, "secret">): Error {
  const inside = new Error(`connect to db.${secret("cause")}.internal:5432 failed`, {
    cause: { file: `/srv/${secret("cause_of_cause")}/pool.js` },
  });
  const error = new Error(`password=${secret("message")} at https://${secret("host")}.internal:8443/v1`, {
    cause: inside,
  });
  error.stack = `${String(error.stack)}\n    at open (/srv/${secret("stack")}/server.js:10:7)`;
  return Object.assign(error, { request: { authorization: `Bearer ${secret("field")}` } });
}
