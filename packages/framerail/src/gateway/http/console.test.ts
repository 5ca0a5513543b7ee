import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createFastify from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addConsole } from "./console.js";

let folder = "";
const app = () => createFastify({ exposeHeadRoutes: false });
let server: ReturnType<typeof app>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-console-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "assets/index-abc123.js"), "export {};");
  writeFileSync(join(folder, "assets/index-abc123.css"), "a {}");
  writeFileSync(join(folder, ".sources"), "secret");
  server = app();
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function get(path: string, method = "GET") {
  const response = await fetch((await address) + path, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
let address: Promise<string>;
const listen = () => {
  addConsole(server, folder);
  address = server.listen({ host: "127.0.0.1", port: 0 });
};

describe("the console's files", () => {
  test("are served with a policy that lets a page run them and nothing else", async () => {
    listen();
    for (const path of ["/", "/assets/index-abc123.js"]) {
      const { status, headers } = await get(path);
      expect(status).toBe(200);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy.split("; ")).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("are kept for good under the digest in their name; the page is asked for each time", async () => {
    listen();
    expect((await get("/")).headers.get("cache-control")).toBe("no-cache");
    expect((await get("/")).headers.get("content-type")).toBe("text/html; charset=utf-8");
    const script = await get("/assets/index-abc123.js");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect([script.headers.get("content-type"), script.text]).toEqual(["text/javascript; charset=utf-8", "export {};"]);
    expect((await get("/assets/index-abc123.css")).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(await get("/", "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  test("are those that were there at the start, by their whole names: no path leads anywhere else [G7]", async () => {
    listen();
    writeFileSync(join(folder, "assets/later.js"), "1");
    const paths = ["/.sources", "/index.html", "/assets/", "/assets/later.js", "/assets/../.sources"];
    const sly = ["/assets/%2e%2e/.sources", "/assets/..%2f.sources", "/assets/index-abc123.js%00", "//.sources"];
    for (const path of [...paths, ...sly]) expect((await get(path)).status, path).not.toBe(200);
  });

  test("are missed at the start and not with the first request", () => {
    rmSync(join(folder, "assets"), { recursive: true });
    expect(() => addConsole(server, folder)).toThrow("is not a built console");
  });
});
