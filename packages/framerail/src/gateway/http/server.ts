// The routes on a real server. The only file that knows the framework.
// Owns: sockets, bodies, which error becomes which answer. Does not own: what a route does (handlers/).
//   H1. Every request is judged in this order: host and origin, path, credential, rate, body. What fails is answered with a
//       problem document and has changed nothing.
//   H2. Nothing of an error reaches a caller but its code and words of ours [G7].
//   H3. A response that a handler has taken over is its own; the framework never touches it again.

import type { AddressInfo } from "node:net";
import { FramerailError, isFramerailError, parseJson } from "@framerail/protocol";
import type { Check } from "@framerail/protocol/schema";
import { compileCheck } from "@framerail/protocol/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import createFastify from "fastify";
import { CHALLENGE } from "../auth/authenticate.js";
import type { Caller } from "../auth/caller.js";
import { faultOf, unauthenticated } from "../auth/caller.js";
import { retryAfterOf } from "../auth/rate-limit.js";
import type { Gateway } from "../gateway.js";
import {
  BODY_BYTES_MAX,
  CONNECTIONS_CHECK_MS,
  CONNECTIONS_MAX,
  HEAD_MS_MAX,
  HEADERS_BYTES_MAX,
  KEEP_ALIVE_MS,
  PATH_LENGTH_MAX,
  REQUEST_MS_MAX,
  RETRY_AFTER_S,
} from "../limits.js";
import { isPlace } from "../stream/cursor.js";
import { addConsole } from "./console.js";
import type { Handler } from "./exchange.js";
import { readHeader, STREAMED } from "./exchange.js";
import { cursorOf } from "./handlers/streams.js";
import { addOperations } from "./operations.js";
import { PROBLEM_TYPE, problemOf } from "./problem.js";
import { createByteRefusal } from "./refuse-bytes.js";
import type { Route } from "./routes.js";
import { ROUTES } from "./routes.js";
import { send } from "./send.js";
import { tellWhenOver } from "./watch-response.js";

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Ends the server: takes no connection any more, and cuts those that are still open. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** The folder of a built console, to be served at `/`; without it there is none. */
  readonly consoleFolder?: string | undefined;
}

/** Rejects with the system's own error when the address is taken. */
export async function listen(gateway: Gateway, options: ServerOptions): Promise<Listening> {
  const { host, port, version, consoleFolder } = options;
  const app = createServer(gateway);
  addOperations(app, gateway, version);
  if (consoleFolder !== undefined) addConsole(app, consoleFolder);
  for (const route of ROUTES) addRoute(app, gateway, route);
  await app.listen({ host, port });
  const { port: bound } = app.server.address() as AddressInfo;
  return { host, port: bound, close: () => app.close() };
}

function createServer(gateway: Gateway): FastifyInstance {
  const bytes = createByteRefusal(gateway.clock);
  const app = createFastify({
    bodyLimit: BODY_BYTES_MAX,
    connectionTimeout: 0,
    forceCloseConnections: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS_MAX,
    routerOptions: { maxParamLength: PATH_LENGTH_MAX },
    exposeHeadRoutes: false,
    return503OnClosing: true,
    // What it refuses before any hook.
    frameworkErrors: (error, request, reply) => {
      tellWhenOver(request, reply, gateway.watch);
      answerError(gateway, error, request, reply);
    },
    clientErrorHandler: bytes.refuse,
    http: {
      maxHeaderSize: HEADERS_BYTES_MAX,
      headersTimeout: HEAD_MS_MAX,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      // Ours says why.
      requireHostHeader: false,
    },
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  bytes.watch(app.server);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) =>
    // Some say that it would be JSON, and send none; where one is needed that is refused.
    body.length === 0 ? undefined : readJson(body),
  );
  app.addHook("onRequest", async (request, reply) => tellWhenOver(request, reply, gateway.watch));
  app.addHook("onRequest", async (request, reply) => {
    const { host, origin } = request.headers;
    reply.headers(gateway.origins.corsHeaders(origin));
    const fetchSite = isVisit(request) ? undefined : readHeader(request.headers, "sec-fetch-site");
    if (host === undefined && request.raw.httpVersion === "1.1") {
      throw new FramerailError("INVALID_ARGUMENT", "the request names no host");
    }
    gateway.origins.requireAllowed({ host, origin, fetchSite });
    if (request.method === "OPTIONS" && origin !== undefined) {
      await reply.code(204).headers(gateway.origins.preflightHeaders(origin)).send();
    }
  });
  app.setNotFoundHandler(() => {
    throw new FramerailError("NOT_FOUND", "no such route");
  });
  app.setErrorHandler((error, request, reply) => answerError(gateway, error, request, reply));
  return app;
}

/** A link from anywhere may lead to the console's page: to read it changes nothing, and it acts from its own origin alone. */
function isVisit({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.url === "/" && readHeader(headers, "sec-fetch-mode") === "navigate";
}

function addRoute(app: FastifyInstance, gateway: Gateway, route: Route): void {
  const handle = route.handler(gateway);
  const check = route.body && compileCheck(route.body, { unknown: "refuse" });
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    // Before the body is read (H1).
    preParsing: async (request) => {
      const caller = await callerOf(gateway, route, request);
      gateway.requestLimit(caller.tenantId);
      callers.set(request, caller);
    },
    handler: (request, reply) => serve(handle, check, request, reply),
  });
}

const callers = new WeakMap<FastifyRequest, Caller>();

async function serve(
  handle: Handler,
  check: Check | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const body = requireBody(check, request.body);
  const answer = await handle({
    caller: callers.get(request) as Caller,
    params: request.params as Record<string, string>,
    query: readQuery(request.query as Record<string, unknown>),
    headers: request.headers,
    body: body as never,
    takeOver() {
      reply.hijack();
      return { response: reply.raw, headers: reply.getHeaders() as Record<string, string> };
    },
  });
  return answer === STREAMED ? reply : send(reply, answer);
}

async function callerOf(gateway: Gateway, { takesTicket }: Route, request: FastifyRequest): Promise<Caller> {
  const query = request.query as Record<string, string>;
  const { ticket } = query as Record<string, unknown>;
  const authorization = readHeader(request.headers, "authorization");
  if (!takesTicket || typeof ticket !== "string" || authorization !== undefined) {
    return gateway.authenticate(authorization);
  }
  const { id } = request.params as { id: string };
  const hasCursor = isPlace(cursorOf({ headers: request.headers, query }) ?? "");
  const caller = await gateway.tickets.redeem(ticket, id, hasCursor);
  if (caller === undefined) throw unauthenticated("the ticket is no good for this turn");
  return caller;
}

function readJson(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new FramerailError("MALFORMED_JSON", "the body is not UTF-8");
  }
  return parseJson(text);
}

function requireBody(check: Check | undefined, body: unknown): unknown {
  if (check === undefined) return undefined;
  if (body === undefined || body === null) throw new FramerailError("INVALID_ARGUMENT", "the body must be JSON");
  const issue = check(body);
  if (issue !== undefined) throw new FramerailError("INVALID_ARGUMENT", `the body is refused: ${issue.message}`);
  return body;
}

/** A name that comes twice is nobody's meaning. */
function readQuery(query: Record<string, unknown>): Record<string, string> {
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== "string") throw new FramerailError("INVALID_ARGUMENT", `${name} must be given once`);
  }
  return query as Record<string, string>;
}

// H2
function answerError(gateway: Gateway, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(ownError(error));
  const route = request.routeOptions.url ?? "none";
  if (problem.status >= 500) gateway.watch.failed(route, error);
  else gateway.watch.refused(problem.code, faultOf(error));
  if (problem.status === 401) reply.header("www-authenticate", CHALLENGE);
  const retryAfter = retryAfterOf(error) ?? (problem.status === 503 ? RETRY_AFTER_S : undefined);
  if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
  return reply
    .code(problem.status)
    .headers({ "content-type": PROBLEM_TYPE, "cache-control": "no-store" })
    .send(JSON.stringify(problem));
}

/** What the framework refuses by itself, in our words. */
function ownError(error: unknown): unknown {
  if (isFramerailError(error)) return error;
  switch ((error as { readonly statusCode?: unknown }).statusCode) {
    case 400:
      return new FramerailError("INVALID_ARGUMENT", "the request cannot be read");
    case 413:
      return new FramerailError("INPUT_TOO_LARGE", "the body is too large", { cause: error });
    case 414:
      return new FramerailError("NOT_FOUND", "nothing has so long a path");
    case 415:
      return new FramerailError("INVALID_ARGUMENT", "the body must be application/json");
    default:
      return error;
  }
}
