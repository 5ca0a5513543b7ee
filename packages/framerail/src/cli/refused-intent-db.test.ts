import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { saysWhole, tool } from "../agent/testing/scripted.js";
import { EMPTY_REGISTRY } from "../registry/registry.js";
import { claimOrphans, dropLeases } from "../store/leases.js";
import { createPostgresDatabase, createTenant } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { buildAgents } from "../worker/build-agents.js";
import { startRuntime } from "./runtime.js";

test("a tool of a turn that another process has taken does not run: the journal refuses its intent [G12] [D-3] [D-5]", async () => {
  const { url, drop } = await createPostgresDatabase();
  const model = saysWhole({ call: 1, tool_calls: [{ name: "pay" }] }, { call: 2, text: "Paid." });
  let runs = 0;
  const agent = defineAgent({
    id: "assistant",
    model: {
      ...model,
      async doStream(options) {
        // While the model thinks, this process seems dead, and another takes its turns.
        await dropLeases(runtime.database);
        await claimOrphans(runtime.database, { owner: randomUUID(), max: 64 });
        return model.doStream(options);
      },
    },
    tools: [tool("pay", () => (runs += 1))],
  });
  const agents = buildAgents([agent], EMPTY_REGISTRY);
  const runtime = await startRuntime({ store: { url }, agents, registry: EMPTY_REGISTRY });
  const orgId = await createTenant(runtime.database);
  const { sessionId } = await createSession(runtime.database, orgId);
  const sent = await runtime.dispatcher.send({
    orgId,
    sessionId,
    userId: undefined,
    message: "pay",
    locale: null,
    onDisconnect: { action: "continue", grace_ms: 0 },
  });
  if (sent.kind === "started") await sent.ended;
  await runtime.close();
  await drop();
  expect(runs).toBe(0);
});
