// A turn of an example's agent, from the agent to the bytes: the example registry, the real policy, and a clock that stands
// still, so that what is batched is let out by what follows it and never by a slow machine.
//   X1. `shown` is the whole turn in one comparable list: every frame with its payload, in order. The envelope is the same
//       for all of them and is checked here, then left out.
//   X2. A model's answer comes in as many pieces as its provider likes: neighbouring pieces are joined.

import type { Frame } from "@framerail/protocol";
import { expect } from "vitest";
import type { Agent } from "../../agent/agent.js";
import type { HandClock, KeptFrames } from "../../dispatch/testing/turn-bench.js";
import { handClock, INPUT, PRINCIPAL, start } from "../../dispatch/testing/turn-bench.js";
import { createPolicy } from "../../policy/create-policy.js";
import { openRegistry } from "../../registry/open-registry.js";
import { requireManifests } from "../build-agents.js";
import { agentStep } from "../run-agent.js";

export const registry = openRegistry(new URL("../../../../../examples/registry", import.meta.url).pathname);

export interface ExampleOptions {
  readonly message?: string;
  readonly locale?: string;
  readonly clock?: HandClock;
}

export function startExample(agent: Agent, options: ExampleOptions = {}) {
  const { message = INPUT.message, locale = "en", clock = handClock() } = options;
  requireManifests([agent.manifest], registry);
  const policy = createPolicy({ registry, locale, clock });
  const step = agentStep(agent, { ...INPUT, message }, PRINCIPAL);
  return { clock, ...start(agent, { step, policy, clock }) };
}

export async function playExample(agent: Agent, options: ExampleOptions = {}) {
  const started = startExample(agent, options);
  const outcome = await started.turn.ended;
  return { ...started, outcome, shown: shownIn(started.sink) };
}

/** A frame without its envelope. */
export type Shown = { readonly event_type: Frame["event_type"]; readonly [field: string]: unknown };

export function shownIn(sink: KeptFrames): Shown[] {
  const shown: Shown[] = [];
  for (const [index, frame] of sink.frames().entries()) {
    const { version, timestamp, response_id, seq, ...rest } = frame;
    expect({ version, response_id, seq }).toEqual({ version: "0.5", response_id: INPUT.turn_id, seq: index + 1 });
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    shown.push(...joinPiece(shown, rest));
  }
  return shown;
}

/** X2: the piece with what it continues, taken off the list; any other frame as it is. */
function joinPiece(shown: Shown[], next: Shown): Shown[] {
  const last = shown.at(-1);
  const isPiece = next.event_type === "text" || next.event_type === "reasoning";
  if (!isPiece || last?.event_type !== next.event_type) return [next];
  shown.pop();
  return [{ ...next, chunk: `${String(last.chunk)}${String(next.chunk)}` }];
}
