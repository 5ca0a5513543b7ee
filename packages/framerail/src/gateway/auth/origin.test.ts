import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { isFramerailError } from "@framerail/protocol";
import big from "big-list-of-naughty-strings" with { type: "json" };
import { expect, test } from "vitest";
import type { OriginCheck, RequestSource } from "./origin.js";
import { createOriginCheck, loopbackSources } from "./origin.js";

const dev = createOriginCheck(loopbackSources(4180));
const app = createOriginCheck({ hosts: "any", origins: ["https://app.example.org", "https://b.example.org:8443"] });

function judge(check: OriginCheck, source: Partial<RequestSource>): string {
  try {
    check.requireAllowed({ host: "localhost:4180", origin: undefined, fetchSite: undefined, ...source });
    return "allowed";
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    // Whoever is refused reads the message, so it holds nothing that was sent.
    for (const text of Object.values(source)) if (text && text.length > 3) expect(error.message).not.toContain(text);
    return error.code;
  }
}

test("this machine's own names with the port are its hosts, and no other name that leads here [D-18]", () => {
  for (const host of ["127.0.0.1:4180", "localhost:4180", "[::1]:4180", "LOCALHOST:4180"])
    expect(judge(dev, { host }), host).toBe("allowed");
  const others = [
    undefined,
    "",
    "localhost",
    "localhost:4181",
    "localhost.evil.example:4180",
    "evil.example:4180",
    "localhost:4180.evil.example",
    "evil-localhost:4180",
    "127.0.0.1.nip.io:4180",
    "127.1:4180",
    "2130706433:4180",
    "0.0.0.0:4180",
    "localhost.:4180",
    "localhost:4180,evil.example",
    "x@localhost:4180",
  ];
  for (const host of others) expect(judge(dev, { host }), host).toBe("FORBIDDEN");
  for (const host of big as string[]) expect(judge(dev, { host }), host).toBe("FORBIDDEN");
  expect(judge(createOriginCheck(loopbackSources(80)), { host: "localhost" })).toBe("allowed");
});

test("an origin is allowed whole or not at all [D-18]", () => {
  for (const origin of ["https://app.example.org", "https://b.example.org:8443"])
    expect(judge(app, { origin, fetchSite: "cross-site" }), origin).toBe("allowed");
  const others = [
    "",
    "null",
    "*",
    "http://app.example.org",
    "https://app.example.org:443",
    "https://app.example.org.evil.example",
    "https://evil.example/https://app.example.org",
    "https://evilapp.example.org",
    "https://app.example.org/",
    "https://b.example.org",
    "HTTPS://APP.EXAMPLE.ORG",
    "https://app.example.org, https://evil.example",
  ];
  for (const origin of [...others, ...(big as string[])])
    for (const fetchSite of [undefined, "same-origin", "cross-site"])
      expect(judge(app, { origin, fetchSite }), origin).toBe("FORBIDDEN");
});

test("without an origin a program passes and a browser on its own page; other sites' pages do not [D-18]", () => {
  for (const fetchSite of [undefined, "same-origin", "none"]) expect(judge(dev, { fetchSite })).toBe("allowed");
  for (const fetchSite of ["cross-site", "same-site", "", "Same-Origin", "none, cross-site", "future-value"])
    expect(judge(dev, { fetchSite }), fetchSite).toBe("FORBIDDEN");
});

test("a page that points its own name at this machine is refused, though to it the request is same-origin [D-18]", () => {
  const origin = "http://rebound.example:4180";
  expect(judge(dev, { host: "rebound.example:4180", fetchSite: "same-origin" })).toBe("FORBIDDEN");
  expect(judge(dev, { host: "rebound.example:4180", origin, fetchSite: "same-origin" })).toBe("FORBIDDEN");
  expect(judge(dev, { origin, fetchSite: "same-origin" })).toBe("FORBIDDEN");
});

test("an answer names the one origin that asked, never all, lets no cookies in, and says that it varies [D-18]", () => {
  expect(app.corsHeaders("https://app.example.org")).toEqual({
    vary: "Origin",
    "access-control-allow-origin": "https://app.example.org",
    "access-control-expose-headers": "Framerail-Turn-Id, Location, Link, Retry-After",
  });
  for (const origin of [undefined, "null", "*", "https://evil.example", "https://app.example.org\r\nset-cookie: a=b"]) {
    expect(app.corsHeaders(origin)).toEqual({ vary: "Origin" });
    expect(app.preflightHeaders(origin)).toEqual({ vary: "Origin" });
  }
});

test("a preflight from an allowed page is told the methods and headers of the interface [D-18]", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(204, app.preflightHeaders("https://app.example.org")).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", method: "OPTIONS" }).end();
  const [{ headers }] = (await once(asked, "response")) as [{ headers: Record<string, string> }];
  server.close();
  server.closeAllConnections();
  expect(headers).toMatchObject({
    vary: "Origin",
    "access-control-allow-origin": "https://app.example.org",
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Framerail-Version",
    "access-control-max-age": "600",
  });
  expect(headers["access-control-allow-credentials"]).toBeUndefined();
});

test("a list with what no browser sends as an origin is refused when it is read", () => {
  for (const origin of [
    "*",
    "null",
    "",
    "app.example.org",
    "https://app.example.org/",
    "https://A.example",
    "https://*.example",
    "file://",
    "https://a.example:443",
  ])
    expect(() => createOriginCheck({ hosts: "any", origins: [origin] }), origin).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
});
