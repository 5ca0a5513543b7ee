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
  "text/event-stream": "sse",
  "application/x-ndjson": "ndjson",
  "application/json": "json",
  "text/*": "sse",
  "application/*": "json",
  "*/*": "sse",
} as const;

/** The form that the caller likes best of those there are; throws INVALID_ARGUMENT when it likes none. */
export function chooseForm(headers: IncomingHttpHeaders): "sse" | "ndjson" | "json" {
  const accept = headers.accept ?? "*/*";
  let best: { readonly form: "sse" | "ndjson" | "json"; readonly weight: number } | undefined;
  for (const wish of accept.split(",")) {
    const [type = "", ...parameters] = wish.split(";").map((part) => part.trim().toLowerCase());
    const form = TYPES[type as keyof typeof TYPES];
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    if (form !== undefined && weight > (best?.weight ?? 0)) best = { form, weight };
  }
  if (best === undefined) {
    throw new FramerailError("INVALID_ARGUMENT", "accept text/event-stream, application/x-ndjson or application/json");
  }
  return best.form;
}

export function chooseVersion(headers: IncomingHttpHeaders): WireVersion {
  const version = readHeader(headers, "framerail-version") ?? "0.5";
  if (version === "0.5" || version === "0.4") return version;
  throw new FramerailError("INVALID_ARGUMENT", "framerail-version must be 0.5 or 0.4");
}
