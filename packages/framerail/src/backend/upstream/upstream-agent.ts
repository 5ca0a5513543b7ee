// An agent that is a service somebody already runs: each turn is one POST, and its answer is a stream of events.
// Owns: the options and their check. Does not own: a turn's exchange (relay-turn.ts).

import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Clock } from "@framerail/protocol";
import { FramerailError, systemClock } from "@framerail/protocol";
import type { Agent, TurnInput } from "../../agent/agent.js";
import type { Principal } from "../../agent/principal.js";
import { createManifest } from "../create-manifest.js";
import { UPSTREAM_IDLE_MS, UPSTREAM_IDLE_MS_MAX } from "../limits.js";
import type { UpstreamFormat } from "./body-decoder.js";
import { UPSTREAM_FORMATS } from "./body-decoder.js";
import type { UpstreamFetch } from "./http-transport.js";
import { fetchOverHttp } from "./http-transport.js";
import type { Exchange } from "./relay-turn.js";
import { relayTurn } from "./relay-turn.js";

export interface UpstreamAgentOptions {
  readonly id: string;
  readonly url: string;
  /** Sent with every request, such as `authorization`. Never shown anywhere. */
  readonly headers?: { readonly [name: string]: string };
  /** `auto`: by the answer's content type. */
  readonly format?: UpstreamFormat;
  /**
   * Silence after which the turn is cancelled; comments and heartbeats do not break it. It may be longer than the 60 s that
   * other agents may be silent; a turn as a whole takes no longer than 120 s all the same.
   */
  readonly idleTimeoutMs?: number;
  /** The status ids the service may write. */
  readonly emits?: readonly string[];
  /** What is sent instead of `{ message, turn_id, conversation_id, history }`, as JSON; may be async. */
  body?(input: TurnInput, principal: Principal): unknown;
  readonly fetch?: UpstreamFetch;
  readonly clock?: Clock;
}

export function upstreamAgent(options: UpstreamAgentOptions): Agent {
  const manifest = createManifest(options.id, options.emits);
  const exchange: Exchange = {
    url: requireUrl(options),
    headers: requireHeaders(options),
    format: requireFormat(options),
    idleTimeoutMs: requireIdleTimeout(options),
    body: options.body ?? defaultBody,
    fetch: options.fetch ?? fetchOverHttp,
    clock: options.clock ?? systemClock,
  };
  return { manifest, run: (input, context) => relayTurn(exchange, input, context) };
}

function defaultBody({ message, turn_id, conversation_id, history }: TurnInput): unknown {
  return { message, turn_id, conversation_id, history };
}

// A refused value stays out of these messages: a URL or a header may hold a secret.
function refuse({ id }: UpstreamAgentOptions, message: string): FramerailError {
  return new FramerailError("INVALID_AGENT", `upstream agent ${id}: ${message}`);
}

function requireUrl(options: UpstreamAgentOptions): string {
  if (!URL.canParse(options.url)) throw refuse(options, "url must be a whole URL");
  const { protocol, username, password, href } = new URL(options.url);
  if (protocol !== "http:" && protocol !== "https:") throw refuse(options, "url must start with http: or https:");
  if (username !== "" || password !== "") throw refuse(options, "url must hold no credentials; use headers");
  return href;
}

function requireHeaders(options: UpstreamAgentOptions): { readonly [name: string]: string } {
  const { headers = {} } = options;
  const own: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      // Node's own error may name the header's value.
      throw refuse(options, "headers must be valid HTTP header names and values");
    }
    own[name.toLowerCase()] = value;
  }
  return own;
}

function requireFormat(options: UpstreamAgentOptions): UpstreamFormat {
  const { format = "auto" } = options;
  if (!UPSTREAM_FORMATS.includes(format)) throw refuse(options, `format must be one of ${UPSTREAM_FORMATS.join(", ")}`);
  return format;
}

function requireIdleTimeout(options: UpstreamAgentOptions): number {
  const { idleTimeoutMs = UPSTREAM_IDLE_MS } = options;
  if (!Number.isSafeInteger(idleTimeoutMs) || idleTimeoutMs < 1 || idleTimeoutMs > UPSTREAM_IDLE_MS_MAX) {
    throw refuse(options, `idleTimeoutMs must be a whole number from 1 to ${UPSTREAM_IDLE_MS_MAX}`);
  }
  return idleTimeoutMs;
}
