// An enrichment backend on a real socket: answers every request with the envelope it was given, when it is let to.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { EnrichmentEnvelope } from "../enrichment-envelope.js";
import { createDoor } from "./tool-bench.js";

export interface EnrichmentBackend extends AsyncDisposable {
  readonly url: string;
  /** Requests that came in, were answered to the end, or lost their caller. */
  readonly began: number;
  readonly finished: number;
  readonly broken: number;
  /** Answers what waits and what comes. */
  release(): void;
}

export async function startBackend(envelope: unknown, { held = false } = {}): Promise<EnrichmentBackend> {
  const counts = { began: 0, finished: 0, broken: 0 };
  const door = createDoor();
  if (!held) door.open();
  const server = createServer((_request, response) => {
    counts.began += 1;
    response.on("finish", () => {
      counts.finished += 1;
    });
    response.on("close", () => {
      if (!response.writableFinished) counts.broken += 1;
    });
    void door.opened.then(() => response.setHeader("content-type", "application/json").end(JSON.stringify(envelope)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get began() {
      return counts.began;
    },
    get finished() {
      return counts.finished;
    },
    get broken() {
      return counts.broken;
    },
    release: () => door.open(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const envelopeOf = (changes: Partial<Record<keyof EnrichmentEnvelope | "reason", unknown>> = {}) => ({
  enricher_id: "ccs-offers",
  domain_type: "offer_list",
  principal: { tenant_id: "tenant_1", user_id: "user_1" },
  version: "1.0",
  status: "ok",
  partial: [],
  cache_meta: { hit: true },
  timing: { total_ms: 12 },
  payload: [{ id: "OFF_1" }, { id: "OFF_2" }],
  ...changes,
});
