// Readers of streams that others wrote, each used as its manual says. All give the same: the events they dispatched, once
// they have stopped by themselves.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { FRAME_TYPES } from "@framerail/protocol";
import { EventSource as NpmEventSource } from "eventsource";
import { chromium } from "playwright-core";
import { EventSource as UndiciEventSource } from "undici";
import { findProgram } from "../../packages/framerail/src/testing/programs.js";
import { readSse } from "../harness/sse-reader.js";

export interface DispatchedEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads until it stops by itself. */
export type ReadWithStranger = (url: string) => Promise<readonly DispatchedEvent[]>;

export const readWithNpm: ReadWithStranger = (url) => {
  const source = new NpmEventSource(url);
  return dispatchedBy(source, () => source.readyState === source.CLOSED);
};

export const readWithUndici: ReadWithStranger = (url) => {
  const source = new UndiciEventSource(url);
  return dispatchedBy(source as unknown as EventTarget, () => source.readyState === source.CLOSED);
};

function dispatchedBy(
  source: Pick<EventTarget, "addEventListener">,
  isClosed: () => boolean,
): Promise<readonly DispatchedEvent[]> {
  const events: DispatchedEvent[] = [];
  return new Promise((resolve) => {
    for (const name of [...FRAME_TYPES, "message"]) {
      source.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>;
        // An "error" without data is not the server's word: the connection broke.
        if (data !== undefined) events.push({ event: name, id: lastEventId, data });
        else if (isClosed()) resolve(events);
      });
    }
  });
}

/** curl knows no events: what a script around it does, asking again with the last id until there is nothing more (204). */
export const readWithCurl: ReadWithStranger = async (url) => {
  const events: DispatchedEvent[] = [];
  let id = "";
  for (;;) {
    const child = spawn(findProgram("curl"), curlArgs(url, id), { stdio: ["ignore", "pipe", "pipe"] });
    let [body, status] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (body += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (status += text));
    await once(child, "close");
    if (status === "204") return events;
    if (status !== "200") throw new Error(`curl was told ${status}: ${body}`);
    for (const { event = "message", id: own = id, data } of readSse(body).events) {
      id = own;
      events.push({ event, id, data });
    }
  }
};

function curlArgs(url: string, lastEventId: string): string[] {
  const resume = lastEventId === "" ? [] : ["-H", `Last-Event-ID: ${lastEventId}`];
  return ["--no-buffer", "--silent", "--write-out", "%{stderr}%{http_code}", ...resume, url];
}

export interface Browser {
  /** Of its page, for a server to let in. */
  readonly origin: string;
  /** From that page, or from one of another origin, which no server was told of. */
  read(url: string, options?: { readonly isLetIn: boolean }): Promise<readonly DispatchedEvent[]>;
  /** All at once, from one page. */
  readAll(urls: readonly string[]): Promise<readonly (readonly DispatchedEvent[])[]>;
  close(): Promise<void>;
}

const BROWSER_FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser with a page of another site than the server's. */
export async function openBrowser(): Promise<Browser> {
  const html = readFileSync(join(import.meta.dirname, "page.html"));
  const site = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ executablePath: findProgram("chromium"), args: BROWSER_FLAGS });
  const onPage = async <T>(address: string, script: string): Promise<T> => {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    try {
      await page.goto(address);
      return await page.evaluate<T>(script);
    } finally {
      await page.close();
    }
  };
  const reading = (url: string) => `readStream(${JSON.stringify(url)}, ${JSON.stringify(FRAME_TYPES)})`;
  return {
    origin,
    read: (url, { isLetIn } = { isLetIn: true }) =>
      onPage(isLetIn ? origin : origin.replace("127.0.0.1", "localhost"), reading(url)),
    readAll: (urls) => onPage(origin, `Promise.all([${urls.map(reading).join()}])`),
    async close() {
      await browser.close();
      site.closeAllConnections();
      site.close();
    },
  };
}
