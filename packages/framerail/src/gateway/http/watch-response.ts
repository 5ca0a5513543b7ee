// Tells of every request when its response is over: whole, or cut in the middle.
// Owns: when a response is over. Does not own: what becomes of it then (the handlers), what is counted (gateway.ts).
//   W1. Once, however it ends. The framework hears of a response that finished; of a stream whose reader left, or that we
//       cut, it hears nothing.
//   W2. What was never answered has no status and is not told: its caller left before.

import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { steadyMs } from "../../clock.js";
import type { EdgeWatch } from "../gateway.js";

export function tellWhenOver(request: FastifyRequest, reply: FastifyReply, watch: Pick<EdgeWatch, "request">): void {
  const response = reply.raw;
  const startedAt = steadyMs();
  let unwatch = () => {};
  const tell = () => {
    response.off("close", tell);
    unwatch();
    if (!response.headersSent) return;
    watch.request(request.routeOptions.url ?? "none", response.statusCode, steadyMs() - startedAt);
  };
  response.once("close", tell);
  if (response.socket === null) unwatch = watchSocket(request.raw.socket, tell);
}

/**
 * For a response that waits behind another on its connection: it has no socket yet, and would never hear that the connection
 * has ended. Any number of them may wait on one.
 */
export function watchSocket(socket: Socket, onClose: () => void): () => void {
  socket.setMaxListeners(0);
  socket.once("close", onClose);
  return () => void socket.off("close", onClose);
}
