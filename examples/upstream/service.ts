// A service that a team runs already and that knows nothing of Framerail: POST a message, and it streams what its own
// agent does, in its own words, as SSE or NDJSON by `Accept`. Real HTTP on a free port; small, so that it can be read.
// Besides what works it has what happens: a path for silence, for an answer that breaks off, and for one that is garbled.

import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Path = "/fine" | "/silent" | "/truncated" | "/garbled";

export interface ServiceCall {
  readonly path: string;
  readonly body: string;
  /** The content type of the answer. */
  readonly contentType: string;
  /** Resolves when the caller has gone, by itself or after the end. */
  readonly closed: Promise<void>;
}

export interface Service extends AsyncDisposable {
  url(path: Path): string;
  /** Every call so far, in order. */
  readonly calls: readonly ServiceCall[];
  /** Calls that were left in silence hear the rest. */
  goOn(): void;
}

interface Speech {
  readonly contentType: string;
  /** One event as it stands in the stream. */
  encode(event: object): string;
}

const SSE: Speech = {
  contentType: "text/event-stream",
  encode: (event) => `data: ${JSON.stringify(event)}\n\n`,
};
const NDJSON: Speech = {
  contentType: "application/x-ndjson",
  encode: (event) => `${JSON.stringify(event)}\n`,
};

const TOOL = { tool_call_id: "srv-1", tool_name: "search_offers", tool_type: "mcp" };

const BEGINNING = [
  { type: "response_id", response_id: "service-run-17" },
  { type: "thinking" },
  { type: "status", event_id: "searching_offers" },
  { type: "tool_call_start", ...TOOL, arguments: { near: "the user" } },
];
const END = [
  { type: "tool_result", tool_call_id: TOOL.tool_call_id, result: { found: 2 }, is_error: false, duration_ms: 40 },
  { type: "tool_call_end", ...TOOL },
  // It has a cart as well, which nobody here knows what to do with.
  { type: "cart_opened", cart: "cart-9" },
  { type: "message", content: "Two offers " },
  { type: "message", content: "near you." },
  { type: "completed" },
];

export async function startService(): Promise<Service> {
  const calls: ServiceCall[] = [];
  const rest = new EventEmitter();
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const speech = speechFor(request);
      const closed = new Promise<void>((resolve) => response.once("close", resolve));
      calls.push({ path: request.url ?? "", body, contentType: speech.contentType, closed });
      answer(request.url, speech, response, rest);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    goOn: () => void rest.emit("go on"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(path: string | undefined, speech: Speech, response: ServerResponse, rest: EventEmitter): void {
  const write = (events: readonly object[]) => response.write(events.map((event) => speech.encode(event)).join(""));
  response.writeHead(200, { "content-type": speech.contentType });
  write(BEGINNING);
  switch (path) {
    case "/silent":
      rest.once("go on", () => write(END));
      break;
    case "/truncated":
      // A clean close in the middle of an event: nothing on the socket tells it from an end.
      response.end(speech.encode({ type: "message", content: "Two offers near you." }).slice(0, 30));
      break;
    case "/garbled":
      write([{ type: "message", content: 7 }]);
      response.end(speech.encode({ type: "completed" }));
      break;
    default:
      write(END);
      response.end();
  }
}

/** What the caller asked for; SSE where it takes both. */
function speechFor({ headers: { accept = "" } }: IncomingMessage): Speech {
  return accept.includes(NDJSON.contentType) && !accept.includes(SSE.contentType) ? NDJSON : SSE;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
  return body;
}
