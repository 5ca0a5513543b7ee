// In which form a turn is answered: by `Accept` and `Framerail-Version`.
//   N1. What is asked for and cannot be given is refused; nothing asked for is a stream of server-sent events.

import type { IncomingHttpHeaders } from "node:http";
import type { WireVersion } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { readHeader } from "./exchange.js";

export interface StreamChoice {
  readonly transport: "sse" | "ndjson";
  readonly version: WireVersion;
}

const TYPES = {
  sse: "text/event-stream",
  json: "application/json",
  ndjson: "application/x-ndjson",
} as const;
type Form = keyof typeof TYPES;

/** The forms of an answer that begins a turn, and of one that reads it; of equals the first. */
export const ANSWERS = ["sse", "json", "ndjson"] as const;
export const STREAMS = ["sse", "ndjson"] as const;

/** The form that the caller likes best of those there are; throws INVALID_ARGUMENT when it likes none. */
export function chooseForm<F extends Form>({ accept = "*/*" }: IncomingHttpHeaders, forms: readonly F[]): F {
  const wishes = accept.split(",").map(readWish);
  const named = new Set(wishes.map(({ type }) => type));
  let best: { readonly form: F; readonly weight: number } | undefined;
  for (const { type, weight } of wishes) {
    // A range stands for what is not named beside it: with `text/event-stream;q=0`, `*/*` is anything else.
    const form = forms.find((one) => TYPES[one] === type || (isWithin(TYPES[one], type) && !named.has(TYPES[one])));
    if (form !== undefined && weight > (best?.weight ?? 0)) best = { form, weight };
  }
  if (best === undefined) {
    throw new FramerailError("INVALID_ARGUMENT", `accept ${forms.map((form) => TYPES[form]).join(" or ")}`);
  }
  return best.form;
}

function readWish(wish: string): { readonly type: string; readonly weight: number } {
  const [type = "", ...parameters] = wish.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return { type, weight: quality === undefined ? 1 : Number(quality.slice(2)) };
}

function isWithin(type: string, range: string): boolean {
  return range === "*/*" || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
}

export function chooseVersion(headers: IncomingHttpHeaders): WireVersion {
  const version = readHeader(headers, "framerail-version") ?? "0.5";
  if (version === "0.5" || version === "0.4") return version;
  throw new FramerailError("INVALID_ARGUMENT", "framerail-version must be 0.5 or 0.4");
}
