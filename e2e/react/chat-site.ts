// The site of the browser test: one page, its program, and a server that answers every message with the same words.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { findProgram } from "../../packages/framerail/src/testing/programs.js";

export const WORDS = Array.from({ length: 3_000 }, (_, index) => `${index} `);
const WORDS_PER_MS = 3;
const PAGE = '<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="/app.js"></script>';

export interface ChatSite {
  readonly url: string;
  readonly seen: readonly string[];
  close(): Promise<void>;
}

export async function startChatSite(): Promise<ChatSite> {
  const app = await buildApp();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { method, url = "" } = request;
    request.resume();
    if (url === "/") return void response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    if (url === "/app.js") return void response.writeHead(200, { "content-type": "text/javascript" }).end(app);
    if (!url.startsWith("/v1/")) return void response.writeHead(204).end();
    seen.push(`${method} ${url}`);
    if (url !== "/v1/sessions") return tellWords(response);
    response.writeHead(201, { "content-type": "application/json" });
    response.end(JSON.stringify({ session_id: "s", conversation_id: "c", agent_id: "a" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function tellWords(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "framerail-turn-id": "t" });
  const timestamp = new Date().toISOString();
  const tell = (seq: number, event_type: string, fields: object) => {
    const data = JSON.stringify({ event_type, version: "0.5", timestamp, response_id: "t", seq, ...fields });
    response.write(`id: t.1.${seq}\nevent: ${event_type}\ndata: ${data}\n\n`);
  };
  tell(1, "response_id", {});
  let next = 0;
  const timer = setInterval(() => {
    for (let count = 0; count < WORDS_PER_MS && next < WORDS.length; count += 1, next += 1)
      tell(next + 2, "text", { chunk: WORDS[next] });
    if (next < WORDS.length) return;
    clearInterval(timer);
    tell(next + 2, "completed", {});
    response.end("data: [DONE]\n\n");
  }, 1);
  response.on("close", () => clearInterval(timer));
}

async function buildApp(): Promise<string> {
  const protocol = join(import.meta.dirname, "../../packages/protocol/src/index.ts");
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "page-app.ts")],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"development"' },
    alias: { "@framerail/protocol": protocol },
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

export function openChromium(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-background-networking"];
  return chromium.launch({ executablePath: findProgram("chromium"), args });
}
