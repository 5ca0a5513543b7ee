import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { runProgram } from "../program.js";
import { createTerminal } from "../terminal.js";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

async function run(...args: readonly string[]) {
  const written = { out: "", err: "" };
  const terminal = createTerminal({
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { code: await runProgram(args, terminal), ...written };
}

const COMMANDS = [
  ["chat", "hello"],
  ["tail", "turn-1"],
  ["replay", "turn-1"],
] as const;

describe.each(COMMANDS)("%s", (command, argument) => {
  const tell = (says: string) => ({ code: 1, out: "", err: `error: ${says}\n` });

  test("says in one line that nothing listens, and how to start something", async () => {
    const url = await serve(() => undefined);
    for (const close of closing.splice(0)) close();
    expect(await run(command, argument, "--url", url)).toEqual(
      tell(`nothing listens at ${url}; start a server with framerail dev, or name another with --url`),
    );
  });

  test("says in one line that what answers is no Framerail server, without a word of its answer [G7]", async () => {
    const answers: RequestListener[] = [
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>secret</h1>"),
      (_, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>secret</h1>"),
      (_, response) => response.writeHead(404, { "content-type": "application/json" }).end('{"error":"secret"}'),
      (_, response) => response.writeHead(500, { "content-type": "text/html" }).end("<h1>secret</h1>"),
    ];
    for (const answer of answers) {
      const url = await serve(answer);
      expect(await run(command, argument, "--url", `${url}/`)).toEqual(
        tell(`what answers at ${url} is no Framerail server; check --url`),
      );
    }
  });

  test("says that a proxy has no server behind it, without a word of its answer [G7]", async () => {
    for (const status of [502, 503, 504]) {
      const url = await serve((_, response) =>
        response.writeHead(status, { "content-type": "text/html" }).end("<h1>secret</h1>"),
      );
      const says = `a proxy answers at ${url}, and no server behind it (${status}); try again in a moment, or check --url`;
      expect(await run(command, argument, "--url", url)).toEqual(tell(says));
    }
  });

  test("says so too of a server that speaks another protocol", async () => {
    const url = await listen(createTcpServer((socket) => socket.end("SSH-2.0-other\r\n")));
    expect(await run(command, argument, "--url", url)).toEqual(
      tell(`what answers at ${url} is no Framerail server; check --url`),
    );
  });

  test("says that a server cannot answer now, instead of trying for minutes", async () => {
    const url = await serve((_, response) =>
      response.writeHead(503, { "content-type": "application/problem+json" }).end("{}"),
    );
    expect(await run(command, argument, "--url", url)).toEqual(
      tell(`the server at ${url} cannot answer now (503); try again in a moment`),
    );
  });

  test("ends with 2 for wrong usage, and shows an example when asked for help", async () => {
    expect(await run(command, argument, "--url", "localhost:4180")).toMatchObject({ code: 2, out: "" });
    expect(await run(command, argument, "--nonsense")).toMatchObject({ code: 2, out: "" });
    const help = await run(command, "--help");
    expect(help.code).toBe(0);
    expect(help.out).toMatch(new RegExp(`\nExample:\n {2}framerail ${command} `));
  });
});

test("an address or a key that cannot be one is said before anything is sent", async () => {
  expect((await run("tail", "turn-1", "--after", "x")).code).toBe(2);
  expect((await run("replay", "turn-1", "--speed", "fast")).code).toBe(2);
  expect((await run("chat", "--agent", "a", "--session", "b")).code).toBe(2);
  expect((await run("chat", " ")).code).toBe(2);
  process.env.FRAMERAIL_API_KEY = "clé";
  try {
    const { code, err } = await run("chat", "hello");
    expect({ code, err }).toEqual({
      code: 1,
      err: "error: FRAMERAIL_API_KEY holds no key; framerail key create makes one\n",
    });
  } finally {
    delete process.env.FRAMERAIL_API_KEY;
  }
});
