import { createElement, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import type { Client } from "../client.js";
import { setUp } from "../testing/story.js";
import type { Turn } from "../turn.js";
import { useSession, useTurn } from "./index.js";

function Chat({ client }: { readonly client: Client }) {
  const { state, turns } = useSession(client, { agentId: "a" });
  return createElement("p", null, `${turns.length} ${state?.text ?? "nothing yet"}`);
}

function Answer({ turn }: { readonly turn: Turn | undefined }) {
  return createElement("p", null, useTurn(turn)?.text ?? "none");
}

test("hooks render on a server, where they ask nothing of anybody", async () => {
  const { client, server } = setUp();
  expect(renderToString(createElement(StrictMode, null, createElement(Chat, { client })))).toBe("<p>0 nothing yet</p>");
  expect(renderToString(createElement(Answer, { turn: undefined }))).toBe("<p>none</p>");
  expect(server.seen).toEqual([]);
});

test("a turn that was read on the server is shown as it is", async () => {
  const { clock, session } = setUp();
  const turn = session.send("hello");
  await clock.until(turn.outcome);
  expect(renderToString(createElement(Answer, { turn }))).toContain("Zwei für eins");
});
