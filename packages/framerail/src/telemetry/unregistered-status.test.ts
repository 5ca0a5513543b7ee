import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { agentOf, play } from "../dispatch/testing/turn-bench.js";
import { createPolicy } from "../policy/create-policy.js";
import { openRegistry } from "../registry/open-registry.js";
import { watchUnregistered } from "./unregistered-status.js";

const registry = openRegistry(new URL("../../../../examples/registry", import.meta.url).pathname);

test("an id made up while a turn runs is not shown, warned of once, counted once, and the turn completes [W-REG-11] [W-MET-8]", async () => {
  const counts: string[] = [];
  const lines: object[] = [];
  const watch = watchUnregistered({ count: (metric) => counts.push(metric), warn: (line) => lines.push(line) });
  const agent = agentOf(async ({ writer }) => {
    for (const part of ["answer", "lunch"]) writer.status(`composing_${part}`);
  });
  const policy = createPolicy({ registry, locale: "en", clock: systemClock });
  const { outcome, sink } = await play(agent, { policy, report: watch });
  expect(outcome).toEqual({ kind: "completed" });
  expect(sink.types()).toEqual(["response_id", "status", "completed"]);
  expect(counts).toEqual(["status_event.unregistered_id"]);
  expect(lines).toEqual([
    {
      message: "a status id that is not registered was suppressed",
      emitter: "assistant",
      event_id: "composing_lunch",
    },
  ]);
});
