// One turn of ours for the bench: an agent that is given, and a sink that counts.

import { systemClock } from "@framerail/protocol";
import { runTurn } from "../../packages/framerail/dist/dispatch/run-turn.js";
import type { Policy } from "../../packages/framerail/dist/policy/policy.js";
import type { Tap } from "../../packages/framerail/dist/publish/publish-turn.js";
import { agentStep } from "../../packages/framerail/dist/worker/run-agent.js";
import { CountedText, type Writing } from "./counted-text.js";

/** A piece of an answer. */
export const CHUNK = "Here are three offers near you that match what you asked for";

const TURN_ID = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11";

export interface PlayTurnOptions {
  readonly policy: Policy;
  readonly taps?: readonly Tap[];
  readonly writing?: Writing;
  run(): Promise<void>;
}

export async function playTurn(options: PlayTurnOptions): Promise<{ bytes: number; frames: number }> {
  const text = new CountedText(options.writing ?? "piece by piece");
  let frames = 0;
  const agent = {
    manifest: { id: "assistant", emitters: [] },
    async run() {
      await options.run();
      return { kind: "completed" as const };
    },
  };
  const input = { turn_id: TURN_ID, conversation_id: "c", message: "", history: [] };
  await runTurn({
    step: agentStep(agent, input, { tenant_id: "t", user_id: "u" }),
    turnId: input.turn_id,
    conversationId: input.conversation_id,
    agentId: agent.manifest.id,
    epoch: 1,
    policy: options.policy,
    clock: systemClock,
    taps: options.taps ?? [],
    sink: {
      backlogBytes: 0,
      ready: () => Promise.resolve(),
      append({ sse }) {
        text.add(sse);
        frames += 1;
      },
      seal(terminal) {
        this.append(terminal);
        return Promise.resolve();
      },
    },
  }).ended;
  return { bytes: text.end(), frames };
}
