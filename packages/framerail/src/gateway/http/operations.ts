// What operators and programs ask of any server: is it well, what has it counted, what does it speak.
//   O1. These need no credential, and tell nothing of any tenant.

import { FramerailError } from "@framerail/protocol";
import type { FastifyInstance } from "fastify";
import type { Gateway } from "../gateway.js";
import { openApiDocument } from "./openapi.js";
import { ROUTES } from "./routes.js";
import { send } from "./send.js";

export function addOperations(app: FastifyInstance, { operations }: Gateway, version: string): void {
  const openApi = openApiDocument(ROUTES, version);
  // Some who ask whether it is well want no body.
  const health = { exposeHeadRoute: true };
  app.get("/healthz", health, (_request, reply) => send(reply, { status: 200, body: { status: "ok" } }));
  app.get("/readyz", health, async (_request, reply) => {
    await operations.ready();
    return send(reply, { status: 200, body: { status: "ready" } });
  });
  app.get("/openapi.json", (_request, reply) => send(reply, { status: 200, body: openApi }));
  const files = [...operations.contract.keys()];
  app.get("/schemas/", (_request, reply) => send(reply, { status: 200, body: { schemas: files } }));
  for (const [name, text] of operations.contract) {
    const path = name === "asyncapi.json" ? "/asyncapi.json" : `/schemas/${name}`;
    const headers = { "content-type": "application/json" };
    app.get(path, (_request, reply) => send(reply, { status: 200, headers, body: text }));
  }
  app.get("/metrics", async (_request, reply) => {
    const metrics = await operations.metrics();
    if (metrics === undefined) throw new FramerailError("NOT_FOUND", "metrics are served elsewhere");
    return send(reply, { status: 200, headers: { "content-type": metrics.type }, body: metrics.text });
  });
}
