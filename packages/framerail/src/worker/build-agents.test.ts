import type { LanguageModelV3 } from "@ai-sdk/provider";
import { isFramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { defineAgent } from "../agent/define-agent.js";
import { defineSubAgent } from "../agent/sub-agent.js";
import { says } from "../agent/testing/scripted.js";
import { play } from "../dispatch/testing/turn-bench.js";
import { openRegistry } from "../registry/open-registry.js";
import type { Registry } from "../registry/registry.js";
import { buildAgents, requireManifests } from "./build-agents.js";

const registry = openRegistry(new URL("../../../../examples/registry", import.meta.url).pathname);

/** A model that goes through the provider interface and counts who asks. */
function countedModel() {
  const inner = says({ text: "hello" });
  let calls = 0;
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: inner.provider,
    modelId: inner.modelId,
    supportedUrls: inner.supportedUrls,
    doGenerate: (options) => inner.doGenerate(options),
    doStream(options) {
      calls += 1;
      return inner.doStream(options);
    },
  };
  return { model, calls: () => calls };
}

function assistant(model: LanguageModelV3, emits: readonly string[], subEmits: readonly string[], id = "assistant") {
  const shop = defineSubAgent({ id: "shop", emits: subEmits, onCancel: () => undefined });
  return defineAgent({ id, model, emits, subAgents: [shop] });
}

function refusal(build: () => unknown): { code: string; message: string } {
  try {
    build();
  } catch (error) {
    if (isFramerailError(error)) return error;
    throw error;
  }
  throw new Error("it was built");
}

function deprecate(id: string): Registry {
  const entry = registry.entries.get(id) ?? expect.fail(`no ${id}`);
  return {
    ...registry,
    hash: "other",
    entries: new Map(registry.entries).set(id, { ...entry, lifecycle: "deprecated" }),
  };
}

test("an unknown id, a deprecated one and another's are each named in one refusal, and no model is called [W-AC-5] [W-REG-8] [W-REG-10]", () => {
  const { model, calls } = countedModel();
  const agent = assistant(model, ["composing_answer", "waiting_approval"], ["searching_ofers", "matching_receipt"]);
  const { code, message } = refusal(() => buildAgents([agent], deprecate("waiting_approval")));
  expect(code).toBe("UNREGISTERED_STATUS");
  const [, ...lines] = message.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('agent "assistant": "assistant" emits "waiting_approval", which is deprecated');
  expect(lines[1]).toContain('"shop" emits "searching_ofers", which is not in the status registry');
  expect(lines[2]).toContain('"shop" emits "matching_receipt", which only ereceipts may emit');
  expect(calls()).toBe(0);
});

test("an agent whose emissions are registered is built with the hash of its registry, runs, and asks its model once [W-REG-14] [W-AC-5]", async () => {
  const { model, calls } = countedModel();
  const built = buildAgents([assistant(model, ["composing_answer"], ["searching_offers"])], registry);
  const agent = built.get("assistant") ?? expect.fail();
  expect([...built.keys()]).toEqual(["assistant"]);
  expect(agent.manifest).toEqual({
    id: "assistant",
    emitters: [
      { id: "assistant", emits: ["composing_answer"] },
      { id: "shop", emits: ["searching_offers"] },
    ],
    registry_hash: registry.hash,
  });
  expect((await play(agent)).outcome).toEqual({ kind: "completed" });
  expect(calls()).toBe(1);
});

test("a manifest that was built by another registry is refused where an entry is missing [W-REG-14] [W-RB-1]", () => {
  const built = buildAgents([assistant(countedModel().model, [], ["searching_offers"])], registry);
  const manifests = [...built.values()].map(({ manifest }) => manifest);
  requireManifests(manifests, registry);
  const reverted = { ...registry, entries: new Map([...registry.entries].filter(([id]) => id !== "searching_offers")) };
  expect(refusal(() => requireManifests(manifests, reverted)).message).toContain('"shop" emits "searching_offers"');
});

test("agents that still declare a deprecated id are built while its grace is asked for [W-REG-6]", () => {
  const agent = assistant(countedModel().model, ["waiting_approval"], []);
  const later = deprecate("waiting_approval");
  expect(refusal(() => buildAgents([agent], later)).message).toContain("deprecated");
  expect(buildAgents([agent], later, { allowDeprecated: true }).size).toBe(1);
});

test("two agents of one id are refused by name", () => {
  const agents = [1, 2].map(() => assistant(countedModel().model, [], []));
  expect(refusal(() => buildAgents(agents, registry))).toMatchObject({
    code: "INVALID_AGENT",
    message: 'two agents are called "assistant"',
  });
});
