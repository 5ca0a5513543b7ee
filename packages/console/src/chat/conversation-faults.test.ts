import type { Client } from "@framerail/client";
import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { createConnectionReports } from "../connection/connection-reports.js";
import { describeConnection } from "../connection/describe-connection.js";
import { createConversationStore } from "../sessions/stored-conversations.js";
import { openConversation } from "./conversation.js";

function memory() {
  return store;
}
const store = kept();
function kept() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test("older messages that could not be read can be asked for again", async () => {
  let asked = 0;
  const client = {
    history: async () => {
      asked += 1;
      if (asked === 2) throw new FramerailError("UPSTREAM_FAILED", "the connection failed");
      return { messages: [], before: "older" };
    },
  } as unknown as Client;
  const store = createConversationStore({ storage: memory(), watchOthers: () => undefined });
  const record = { id: "1", agentId: "a", locale: "en", title: "", updatedAt: 1, conversationId: "c", sessionId: "s" };
  const conversation = openConversation({ client, store, record, newId: () => "k", now: () => 1 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(conversation.state().hasOlder).toBe(true);
  await conversation.loadOlder();
  expect(conversation.state()).toMatchObject({ history: { failed: "UPSTREAM_FAILED" }, hasOlder: true });
});

test("a turn that began again once was resumed once", () => {
  const reports = createConnectionReports();
  reports.take({ kind: "cut", turnId: "t", code: "UPSTREAM_FAILED", attempt: 1, retryInMs: 1 });
  reports.take({ kind: "reset", turnId: "t" });
  reports.take({ kind: "resumed", turnId: "t" });
  expect(reports.resumesOf("t")).toBe(1);
});

test.each(["INVALID_ARGUMENT", "INPUT_TOO_LARGE", "BUDGET_EXHAUSTED", "RATE_LIMITED"])(
  "of a message that was refused (%s) nobody says that its turn may be running",
  (failureCode) => {
    const line = describeConnection({ connection: "failed", cut: undefined, seq: 0, isOnline: true, failureCode });
    expect(line?.text).not.toContain("may still be running");
  },
);
