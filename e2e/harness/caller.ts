// Calls the server as any program would, over real sockets, by Node's own client.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:http";

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Called {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** Of a JSON body. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Every call on a connection of its own: a pool would hide what a server does to connections. */
const fresh = () => new Agent({ keepAlive: false });

/** Sends the request and gives the response when its head has come. */
export async function open(url: string, options: CallOptions = {}): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body, signal } = options;
  const isJson = body !== undefined && typeof body !== "string" && !Buffer.isBuffer(body);
  const payload = isJson ? JSON.stringify(body) : (body as string | Buffer | undefined);
  const asked = request(url, {
    method,
    agent: fresh(),
    headers: { ...(payload !== undefined && { "content-type": "application/json" }), ...headers },
    ...(signal && { signal }),
  });
  asked.end(payload);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  // A test that lets go of a response, or whose server dies, has its own way to tell.
  response.on("error", () => undefined);
  asked.on("error", () => undefined);
  return response;
}

export async function call(url: string, options: CallOptions = {}): Promise<Called> {
  const response = await open(url, options);
  const { text } = await readBody(response);
  const type = response.headers["content-type"] ?? "";
  const json = type.includes("json") && !type.includes("ndjson") && text !== "" ? JSON.parse(text) : {};
  return { status: response.statusCode ?? 0, headers: response.headers, text, json };
}

export interface Body {
  readonly text: string;
  /** The server ended it as HTTP ends a body; a cut one did not. */
  readonly complete: boolean;
}

export async function readBody(response: IncomingMessage, onText?: (text: string) => void): Promise<Body> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      onText?.(chunk.toString("utf8"));
    }
  } catch {
    // Cut; `complete` says so.
  }
  return { text: Buffer.concat(chunks).toString("utf8"), complete: response.complete };
}

export async function openSession(url: string, agentId: string, options: CallOptions = {}): Promise<string> {
  const { json, status, text } = await call(`${url}/v1/sessions`, {
    ...options,
    method: "POST",
    body: { agent_id: agentId },
  });
  if (status !== 201) throw new Error(`no session: ${status} ${text}`);
  return json.session_id as string;
}

/** Begins a turn without reading it. */
export async function beginTurn(url: string, sessionId: string, body: object, options: CallOptions = {}) {
  const { json, status, text } = await call(`${url}/v1/sessions/${sessionId}/turns`, {
    ...options,
    method: "POST",
    headers: { accept: "application/json", ...options.headers },
    body,
  });
  if (status !== 202) throw new Error(`no turn: ${status} ${text}`);
  return json.turn_id as string;
}
