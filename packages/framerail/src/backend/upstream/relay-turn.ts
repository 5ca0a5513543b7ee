// One turn of an upstream service: send the message, relay its events, find its end.
// Owns: the exchange and its ways out. Does not own: what an event means (event-relay.ts), what an end becomes (publish/).
//   U1. Every way out closes the request: the end, a failure, silence, a cancel [W-CAN-1, W-CAN-2].
//   U2. An answer that stops without its end is a failure, however clean the socket's close was.
//   U3. Between pieces the writer sets the pace; the service's silence is not counted meanwhile [D-6]. A chunk is cut into
//       pieces, for it may be as large as a platform's buffers let it grow.

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import type { RunContext, RunEnd, TurnInput } from "../../agent/agent.js";
import { untilAborted } from "../../agent/model/until-aborted.js";
import type { Principal } from "../../agent/principal.js";
import type { IdleTimer } from "../idle-timeout.js";
import { createIdleTimer } from "../idle-timeout.js";
import { UPSTREAM_PIECE_BYTES } from "../limits.js";
import type { BodyDecoder, UpstreamFormat } from "./body-decoder.js";
import { createBodyDecoder } from "./body-decoder.js";
import type { EventRelay } from "./event-relay.js";
import { createEventRelay } from "./event-relay.js";
import type { UpstreamFetch, UpstreamResponse } from "./http-transport.js";
import { failureOfStatus, upstreamFailed } from "./upstream-failure.js";

export interface Exchange {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly format: UpstreamFormat;
  readonly idleTimeoutMs: number;
  body(input: TurnInput, principal: Principal): unknown;
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
}

const ACCEPT: Readonly<Record<UpstreamFormat, string>> = {
  auto: "text/event-stream, application/x-ndjson",
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
};

export async function relayTurn(exchange: Exchange, input: TurnInput, context: RunContext): Promise<RunEnd> {
  const { signal, writer } = context;
  signal.throwIfAborted();
  // Ends the waits; the request itself is closed on the way out, by `request` (U1).
  const stop = new AbortController();
  const request = new AbortController();
  const cancel = () => stop.abort(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const idle = createIdleTimer(exchange.clock, exchange.idleTimeoutMs, (error) => stop.abort(error));
  try {
    idle.start();
    const body = JSON.stringify(exchange.body(input, context.principal));
    const response = await post(exchange, { body, request: request.signal, stop: stop.signal });
    const relay = createEventRelay(writer, exchange.clock);
    const take = (text: string) => relay.take(text);
    const decoder = createBodyDecoder(exchange.format, response.headers.get("content-type"), take);
    try {
      return await readBody({ response, decoder, relay, idle, ready: () => writer.ready(), stop: stop.signal });
    } finally {
      relay.settle();
    }
  } finally {
    idle.stop();
    signal.removeEventListener("abort", cancel);
    request.abort();
  }
}

interface Sending {
  readonly body: string;
  readonly request: AbortSignal;
  readonly stop: AbortSignal;
}

async function post(exchange: Exchange, { body, request, stop }: Sending): Promise<UpstreamResponse> {
  // What the protocol needs comes last: an operator's header cannot change it.
  const headers = { ...exchange.headers, accept: ACCEPT[exchange.format], "content-type": "application/json" };
  const sent = exchange.fetch(exchange.url, { method: "POST", headers, body, redirect: "manual", signal: request });
  const response = await hear(sent, stop, "cannot be reached");
  const failure = failureOfStatus(response.status);
  if (failure !== undefined) throw failure;
  return response;
}

interface Reading {
  readonly response: UpstreamResponse;
  readonly decoder: BodyDecoder;
  readonly relay: EventRelay;
  readonly idle: IdleTimer;
  ready(): Promise<void>;
  readonly stop: AbortSignal;
}

async function readBody({ response, decoder, relay, idle, ready, stop }: Reading): Promise<RunEnd> {
  if (response.body === null) throw upstreamFailed("answered without a body");
  const chunks = response.body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await hear(chunks.next(), stop, "broke off");
    for (const piece of done ? [undefined] : cut(value)) {
      const heardBefore = relay.heard;
      decode(decoder, piece);
      if (relay.end !== undefined) return relay.end;
      if (relay.heard === heardBefore) continue;
      idle.stop();
      await untilAborted(ready(), stop);
      idle.start();
    }
    if (done) throw upstreamFailed("broke off without an end");
  }
}

// U3
function* cut(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += UPSTREAM_PIECE_BYTES) yield chunk.subarray(at, at + UPSTREAM_PIECE_BYTES);
}

/** Without bytes: the body has ended, and a last line may now be whole. */
function decode(decoder: BodyDecoder, bytes: Uint8Array | undefined): void {
  try {
    if (bytes === undefined) decoder.end();
    else decoder.push(bytes);
  } catch (error) {
    const isTooLarge = isFramerailError(error) && error.code === "INPUT_TOO_LARGE";
    throw isTooLarge ? upstreamFailed("sent an event over the maximum", error) : error;
  }
}

/** Waits for the network. Its errors become ours; a stop keeps its reason. */
async function hear<T>(promise: Promise<T>, stop: AbortSignal, what: string): Promise<T> {
  try {
    return await untilAborted(promise, stop);
  } catch (error) {
    stop.throwIfAborted();
    throw upstreamFailed(what, error);
  }
}
