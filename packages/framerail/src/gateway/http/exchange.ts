// One request and its answer, without the framework that carries them. Handlers know nothing else of HTTP.

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { FramerailError } from "@framerail/protocol";
import type { Caller } from "../auth/caller.js";

export interface Exchange<Body = unknown> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** As its schema says. */
  readonly body: Body;
  /** The raw response, for a handler that writes it itself and answers STREAMED; `headers` are those every answer has. */
  takeOver(): { readonly response: ServerResponse; readonly headers: Readonly<Record<string, string>> };
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON; a text where the handler says what type it is. */
  readonly body?: unknown;
}

/** The handler has taken the response over. */
export const STREAMED = Symbol("streamed");

export type Handler<Body = never> = (exchange: Exchange<Body>) => Promise<Answer | typeof STREAMED>;

/** A whole number of the query; undefined where there is none. */
export function readCount(query: Exchange["query"], name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new FramerailError("INVALID_ARGUMENT", `${name} must be a whole number`);
  return Number(text);
}

/** One value of a header that must not come twice. */
export function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (Array.isArray(value)) throw new FramerailError("INVALID_ARGUMENT", `${name} must be sent once`);
  return value;
}
