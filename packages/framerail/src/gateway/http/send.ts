// An answer, as the framework sends it.

import type { FastifyReply } from "fastify";
import type { Answer } from "./exchange.js";

export function send(reply: FastifyReply, { status, headers = {}, body }: Answer): FastifyReply {
  reply.code(status).header("cache-control", "no-store").headers(headers);
  if (body === undefined) return reply.send();
  return typeof body === "string" ? reply.send(body) : reply.type("application/json").send(JSON.stringify(body));
}
