// Requests to one server: one attempt each, with the token; and, for those that may be repeated, as many as it takes.
// Owns: addresses, credentials, what a failed request is. Does not own: streams (read-stream.ts), turns.
//   A1. A request throws FramerailErrors only. What the network did is UPSTREAM_FAILED, with its error as the cause.
//   A2. A 401 is tried once more with a new token, where there can be one.
//   A3. No answer is read past ANSWER_BYTES_MAX.
//   A4. What no network could ever carry is the caller's mistake: INVALID_ARGUMENT, before anything is asked.

import type { Clock, Json } from "@framerail/protocol";
import { FramerailError, isFramerailError, parseJson } from "@framerail/protocol";
import { backoffMs } from "./backoff.js";
import { pause, untilAborted, withDeadline } from "./deadline.js";
import { ANSWER_BYTES_MAX, ATTEMPTS_MAX, REQUEST_MS_MAX } from "./limits.js";
import { leaveBody, readText } from "./read-body.js";
import { isTransient, ResponseError, responseError } from "./response-error.js";
import type { TokenSource } from "./token.js";

/** The part of the platform's fetch that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Call {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface Answer {
  readonly headers: Headers;
  readonly value: Json;
}

export interface ApiOptions {
  readonly url: string;
  readonly tokens: TokenSource;
  readonly fetch: Fetch;
  readonly clock: Clock;
  random(): number;
}

export interface Api {
  readonly clock: Clock;
  random(): number;
  /** One request; resolves with a 2xx answer whose body is not read, throws for every other. */
  open(call: Call, signal: AbortSignal): Promise<Response>;
  /** One request for JSON. */
  ask(call: Call, signal?: AbortSignal): Promise<Answer>;
  /** The same, repeated while that may help, also with what `check` throws: for calls that do no harm twice. */
  insist(call: Call, signal?: AbortSignal, check?: (value: Json) => unknown): Promise<Answer>;
}

/** What a header can hold. fetch itself takes away line ends around it. */
const HEADER_VALUE = /^[\n\r]*[\t -~\x80-\xff]*[\n\r]*$/;

export function createApi(options: ApiOptions): Api {
  const { tokens, clock, random } = options;
  // A4
  if (!/^(https?:\/\/|\/|$)/i.test(options.url))
    throw new FramerailError("INVALID_ARGUMENT", "the url must begin with http:// or https://, or be a path");
  const base = options.url.replace(/\/+$/, "");

  const request = async (call: Call, token: string | undefined, signal: AbortSignal): Promise<Response> => {
    const headers = {
      ...(call.body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...call.headers,
    };
    // A4
    for (const [name, value] of Object.entries(headers)) {
      if (!HEADER_VALUE.test(value))
        throw new FramerailError("INVALID_ARGUMENT", `${name} has a character that no header can hold`);
    }
    const init: RequestInit = { method: call.method ?? "GET", headers, signal };
    // Browsers make a second reader of an address wait for the first, in case its answer can be kept. Where requests know
    // nothing of a cache, some platforms throw at the option, and one writes it into the address.
    if ("cache" in Object(globalThis.Request?.prototype)) init.cache = "no-store";
    if (call.body !== undefined) init.body = JSON.stringify(call.body);
    try {
      return await untilAborted(signal, options.fetch(base + call.path, init));
    } catch (error) {
      throw networkError(error);
    }
  };

  const open = async (call: Call, signal: AbortSignal): Promise<Response> => {
    const token = tokens.get();
    let response = await request(call, token && (await untilAborted(signal, token)), signal);
    // A2
    const renewed = response.status === 401 && token !== undefined ? tokens.renew(token) : undefined;
    if (renewed !== undefined) {
      leaveBody(response);
      response = await request(call, await untilAborted(signal, renewed), signal);
    }
    if (response.ok) return response;
    throw await responseError(response, signal, clock.now());
  };

  const ask = (call: Call, parent?: AbortSignal): Promise<Answer> =>
    withDeadline({ clock, ms: REQUEST_MS_MAX, parent }, async ({ signal }) => {
      const response = await open({ ...call, headers: { accept: "application/json", ...call.headers } }, signal);
      try {
        // A3
        const text = await readText(response, ANSWER_BYTES_MAX, signal);
        return { headers: response.headers, value: parseJson(text) };
      } catch (error) {
        throw networkError(error);
      }
    });

  const insist: Api["insist"] = async (call, signal = new AbortController().signal, check) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await ask(call, signal);
        check?.(answer.value);
        return answer;
      } catch (error) {
        if (signal.aborted || attempt >= ATTEMPTS_MAX || !isTransient(error)) throw error;
        const { retryAfterMs } = error instanceof ResponseError ? error : {};
        await pause(clock, backoffMs({ attempt, retryAfterMs, random }), signal);
      }
    }
  };

  return { clock, random, open, ask, insist };
}

// A1
export function networkError(error: unknown): FramerailError {
  if (isFramerailError(error)) return error;
  return new FramerailError("UPSTREAM_FAILED", "the connection failed", { cause: error });
}
