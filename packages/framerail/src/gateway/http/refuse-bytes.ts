// What is told to a caller whose bytes are no request: nobody could read them, or they took too long to come.
// Owns: the answer on the bare socket, before any route. Does not own: requests that were read (server.ts).
//   B1. Nothing is written into an answer that is under way, nor before one that is due: it would be taken for that one.
//       Such a connection is cut.
//   B2. The connection ends in any case: where the next request would begin, nobody knows. It is read on for LINGER_MS, so
//       that a caller who is still sending gets to see why.

import type { Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@framerail/protocol";
import { LINGER_MS } from "../limits.js";
import type { Problem } from "./problem.js";
import { describeProblem, PROBLEM_TYPE } from "./problem.js";

const UNREADABLE = describeProblem("INVALID_ARGUMENT", 400, "the request cannot be read");
const REFUSALS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: describeProblem("INPUT_TOO_LARGE", 431, "the head of the request is too large"),
  ERR_HTTP_REQUEST_TIMEOUT: describeProblem("DEADLINE_EXCEEDED", 408, "the request took too long to come"),
};

export interface ByteRefusal {
  /** Keeps track of what the server is answering. */
  watch(server: Server): void;
  /** For the server's `clientError`. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void;
}

export function createByteRefusal(clock: Clock): ByteRefusal {
  const lastAnswers = new WeakMap<Socket, ServerResponse>();
  const refused = new WeakSet<Socket>();
  return {
    watch(server) {
      server.on("request", ({ socket }, response) => void lastAnswers.set(socket, response));
    },
    refuse(error, socket) {
      // What still comes is no request either.
      if (refused.has(socket)) return;
      refused.add(socket);
      if (!socket.writable || !isFree(lastAnswers.get(socket))) {
        socket.destroy();
        return;
      }
      socket.end(writeAnswer(REFUSALS[error.code ?? ""] ?? UNREADABLE));
      const stopLingering = clock.schedule(LINGER_MS, () => socket.destroy());
      socket.once("close", stopLingering);
    },
  };
}

// B1. Answers go out in the order of their requests, so when the last one is finished, all are. One that has not begun, to a
// request that breaks off in its body, is the answer that is given here.
function isFree(last: ServerResponse | undefined): boolean {
  if (last === undefined || last.writableFinished) return true;
  return !last.req.complete && !last.headersSent && last.socket !== null;
}

function writeAnswer(problem: Problem): string {
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM_TYPE}`,
    "cache-control: no-store",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
