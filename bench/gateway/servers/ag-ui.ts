// AG-UI: its own encoder, on Node's own server.

import { EventType } from "@ag-ui/core";
import { EventEncoder } from "@ag-ui/encoder";
import type { Pacer } from "../pacer.js";
import { SSE_HEADERS, serveStreams } from "../server.js";

const MESSAGE_ID = "5c1d8f0e-4b0a-4c55-9d3e-0a4f6f5f7b11".repeat(3);

export function startAgUi(pacer: Pacer): Promise<number> {
  return serveStreams((response) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    const encoder = new EventEncoder();
    pacer.add((delta) => {
      const event = { type: EventType.TEXT_MESSAGE_CONTENT, messageId: MESSAGE_ID, delta, timestamp: Date.now() };
      response.write(encoder.encode(event));
    });
  });
}
