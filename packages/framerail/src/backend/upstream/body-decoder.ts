// Which decoder reads an upstream service's answer: by its content type, or as the operator says.
// SSE lines may end with LF, CRLF or CR, and NDJSON lines with LF or CRLF; the protocol's decoders see to that, and to
// the maximum of one event.

import { createNdjsonDecoder, createSseDecoder } from "@framerail/protocol";
import { upstreamFailed } from "./upstream-failure.js";

export const UPSTREAM_FORMATS = ["auto", "sse", "ndjson"] as const;
export type UpstreamFormat = (typeof UPSTREAM_FORMATS)[number];

export interface BodyDecoder {
  push(bytes: Uint8Array): void;
  end(): void;
}

const FORMAT_OF_TYPE: { readonly [type: string]: "sse" | "ndjson" } = {
  "text/event-stream": "sse",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
};

/** `take` gets the JSON text of each event; what it throws passes through. */
export function createBodyDecoder(
  format: UpstreamFormat,
  contentType: string | null,
  take: (text: string) => void,
): BodyDecoder {
  switch (format === "auto" ? formatOf(contentType) : format) {
    case "sse":
      return createSseDecoder({ onEvent: ({ data }) => take(data) });
    case "ndjson":
      // An event is an object, and no part of an object's text is one: a last line without its LF is whole or no JSON.
      return createNdjsonDecoder({ onLine: take, acceptLastLine: true });
    default:
      throw upstreamFailed("answered with a content type that is neither SSE nor NDJSON");
  }
}

function formatOf(contentType: string | null): "sse" | "ndjson" | undefined {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return Object.hasOwn(FORMAT_OF_TYPE, type) ? FORMAT_OF_TYPE[type] : undefined;
}
