import { expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { entryOf, registryOf } from "../policy/testing/policy-bench.js";
import { createPostgresDatabase, createTenant } from "../store/testing/open-store.js";
import { createSession } from "../store/testing/turn-fixtures.js";
import { buildAgents } from "../worker/build-agents.js";
import { startRuntime } from "./runtime.js";

test("operators hear which sentence of a status could not be filled, and why", async () => {
  const { url, drop } = await createPostgresDatabase();
  const registry = registryOf([entryOf("reading", { emitter_subagents: ["assistant"] })], {
    en: { "status.reading": "Reading {title}…" },
  });
  const agent = defineAgent({
    id: "assistant",
    emits: ["reading"],
    run: async (_, { writer }) => writer.status("reading"),
  });
  const heard: object[] = [];
  const runtime = await startRuntime({
    store: { url },
    agents: buildAgents([agent], registry),
    registry,
    report: (what, details) => heard.push({ what, ...details }),
  });
  const orgId = await createTenant(runtime.database);
  const { sessionId } = await createSession(runtime.database, orgId);
  const sent = await runtime.dispatcher.send({
    orgId,
    sessionId,
    userId: undefined,
    message: "read",
    locale: null,
    onDisconnect: { action: "continue", grace_ms: 0 },
  });
  if (sent.kind === "started") await sent.ended;
  await runtime.close();
  await drop();
  expect(heard).toContainEqual({
    what: "status_unfilled",
    reason: "status.reading in en",
    error: expect.objectContaining({ message: expect.stringContaining('"title"') }),
  });
});
