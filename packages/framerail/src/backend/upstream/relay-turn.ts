// One turn of an upstream service: send the message, relay its events, find its end.
// Owns: the exchange and its ways out. Does not own: what an event means (event-relay.ts), what an end becomes (publish/).
//   U1. Every way out closes the request: the end, a failure, silence, a cancel [W-CAN-1, W-CAN-2].
//   U2. An answer that stops without its end is a failure, however clean the socket's close was.
//   U3. What was read is written at the pace of the log, and only then is more read (outbox.ts); the service's silence is not
//       counted meanwhile [D-6].
//   U4. The author's body may take its time, or fail: within the turn, and for this turn alone.
//   U5. While its own window bounds the wait, the service is heard of: the turn's silence is shorter than the window that an
//       operator may have set [W-CAN-2].

import type { Clock } from "@framerail/protocol";
import { isFramerailError } from "@framerail/protocol";
import type { RunContext, RunEnd, TurnInput } from "../../agent/agent.js";
import { whileItGoesOn } from "../../agent/goes-on.js";
import { untilAborted } from "../../agent/model/until-aborted.js";
import type { Principal } from "../../agent/principal.js";
import type { IdleTimer } from "../idle-timeout.js";
import { createIdleTimer } from "../idle-timeout.js";
import type { Outbox } from "../outbox.js";
import { createOutbox } from "../outbox.js";
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
  /** Of its value or of a promise of one. */
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
  const { clock, idleTimeoutMs } = exchange;
  const idle = createIdleTimer(clock, idleTimeoutMs, (error) => stop.abort(error));
  const stopTelling = whileItGoesOn(clock, idleTimeoutMs, () => writer.log("debug", "the upstream agent is awaited")); // U5
  const outbox = createOutbox(writer);
  try {
    idle.start();
    const body = JSON.stringify(await untilAborted(askBody(exchange, input, context.principal), stop.signal));
    const response = await post(exchange, { body, request: request.signal, stop: stop.signal });
    const relay = createEventRelay(outbox.writer, clock);
    const take = (text: string) => relay.take(text);
    const decoder = createBodyDecoder(exchange.format, response.headers.get("content-type"), take);
    try {
      return await readBody({ response, decoder, relay, idle, outbox, stop: stop.signal });
    } finally {
      relay.settle();
      outbox.close();
    }
  } finally {
    idle.stop();
    stopTelling();
    signal.removeEventListener("abort", cancel);
    request.abort();
  }
}

// U4
async function askBody(exchange: Exchange, input: TurnInput, principal: Principal): Promise<unknown> {
  return exchange.body(input, principal);
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
  readonly outbox: Outbox;
  readonly stop: AbortSignal;
}

async function readBody({ response, decoder, relay, idle, outbox, stop }: Reading): Promise<RunEnd> {
  if (response.body === null) throw upstreamFailed("answered without a body");
  const chunks = response.body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await hear(chunks.next(), stop, "broke off");
    const heardBefore = relay.heard;
    try {
      decode(decoder, done ? undefined : value);
    } finally {
      // What was heard before a failure was said.
      if (relay.heard > heardBefore) idle.stop();
      await outbox.flush(stop);
    }
    if (relay.end !== undefined) return relay.end;
    if (done) throw upstreamFailed("broke off without an end");
    if (relay.heard === heardBefore) continue;
    await untilAborted(outbox.writer.ready(), stop);
    idle.start();
  }
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
