// Agents we did not write that say what a test lists, in one chunk or item by item; and a turn whose frames go to a real log.

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { createMemoryLog } from "../../log/memory/memory-log.js";
import { fromLangGraph } from "../langgraph/from-lang-graph.js";
import type { UpstreamFetch } from "../upstream/http-transport.js";
import { upstreamAgent } from "../upstream/upstream-agent.js";

export const inLog = () => {
  const turnId = randomUUID();
  return { turnId, sink: createMemoryLog().open({ orgId: randomUUID(), turnId, epoch: 1 }) };
};
/** A service that says these events in one chunk. */
export const saysAtOnce = (...events: object[]) => {
  const body = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const headers = new Headers({ "content-type": "application/x-ndjson" });
  const fetch: UpstreamFetch = () => Promise.resolve({ status: 200, headers, body: Readable.from([body]) });
  return upstreamAgent({ id: "shop", url: "https://agents.example/run", fetch });
};
/** A graph whose stream is these items. */
export const graphOfItems = (...items: unknown[]) =>
  fromLangGraph(
    {
      stream: async () =>
        (async function* () {
          yield* items;
        })(),
    },
    { id: "shop" },
  );
