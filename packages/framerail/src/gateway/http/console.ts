// The web console: files that were built before, served to the browsers of whoever may reach this server.
// Owns: what is served under `/` and `/assets/`, and what its headers allow a page to do. Does not own: the console
// (packages/console), whether there is one (cli/).
//   C1. Only what was in the folder at the start is served, by its whole name: no path of a request ever reaches a disk.
//   C2. The page runs our files and nothing else: no inline script or style, no frame around it, no other server.
//   C3. A file under /assets/ has a digest in its name, so it is kept for good; the page itself is asked for each time.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { FramerailError } from "@framerail/protocol";
import type { FastifyInstance } from "fastify";
import { CONSOLE_FILES_MAX } from "../limits.js";

const PAGE = "index.html";
const ASSETS = "assets";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

// C2
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface ConsoleFile {
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws INVALID_ARGUMENT for a folder without a built console. */
export function addConsole(app: FastifyInstance, folder: string): void {
  for (const { path, body, headers } of readFiles(folder)) {
    app.get(path, { exposeHeadRoute: true }, (_request, reply) => reply.headers(headers).send(body));
  }
}

// C1
function readFiles(folder: string): ConsoleFile[] {
  const assets = namesIn(join(folder, ASSETS)).map((name) => fileOf(folder, `${ASSETS}/${name}`));
  return [{ ...fileOf(folder, PAGE), path: "/" }, ...assets];
}

function namesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new FramerailError("INVALID_ARGUMENT", `${folder} is not a built console`, { cause: error });
  }
  if (names.length <= CONSOLE_FILES_MAX) return names;
  throw new FramerailError("INVALID_ARGUMENT", `${folder} has more files than a console`);
}

function fileOf(folder: string, name: string): ConsoleFile {
  // C3
  const kept = name === PAGE ? "no-cache" : "public, max-age=31536000, immutable";
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  return {
    path: `/${name}`,
    body: readFileSync(join(folder, name)),
    headers: { ...HEADERS, "content-type": type, "cache-control": kept },
  };
}
