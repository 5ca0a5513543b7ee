// The terminal commands as people and scripts use them: on terminals, in pipes, with keys pressed at the wrong moment.
// One file, although it is long, because all of it shares one server: starting another would take longer than most of
// these tests. The server that dies comes last.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { walkThroughNumbers } from "../packages/framerail/demo/agents/writer/numbers.js";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { beginTurn, call, openSession } from "./harness/caller.js";
import type { Program } from "./harness/program.js";
import { PROGRAM, startProgram } from "./harness/program.js";
import { startTmux } from "./harness/tmux.js";
import type { ShellOptions } from "./terminal/run-shell.js";
import { quoteWords, runShell } from "./terminal/run-shell.js";
import { statusLinesIn, turnIdIn } from "./terminal/what-was-shown.js";

const WAIT_MS_MAX = 60_000;
const ESCAPE = "\x1b";

// Several waits in one test, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 4 * WAIT_MS_MAX });

function startServer(port: string): Promise<Program> {
  const agents = ["--agents", "e2e/terminal/agents", "--registry", "packages/framerail/demo/registry"];
  return startProgram({
    args: ["dev", ...agents, "--data", folder, "--port", port],
    env: { FRAMERAIL_SCRIPT_SPEED: "4", OPENAI_API_KEY: "" },
  });
}

let folder: string;
let server: Program;
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  server = await startServer("0");
}, 120_000);
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const commandOf = (args: readonly string[]) => {
  const [command = "", ...rest] = args;
  return [process.execPath, PROGRAM, command, "--url", server.url, ...rest];
};
const inTerminal = (args: readonly string[], options: { columns?: number; env?: Record<string, string> } = {}) =>
  startTmux({ command: commandOf(args), ...options });

const runProgram = (args: readonly string[], options: ShellOptions = {}) =>
  runShell(quoteWords(commandOf(args)), options);

async function turnOf(turnId: string) {
  const { json } = await call(`${server.url}/v1/turns/${turnId}`);
  return json as {
    readonly status: string;
    readonly outcome: { readonly kind: string } | null;
    readonly last_seq: number;
  };
}

async function until(says: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${says} did not come`);
    await sleep(40);
  }
}

const STORY = walkThroughNumbers(16_000);

describe("chat on a terminal", () => {
  test("shows the answer while it grows, and a Ctrl-C cancels the turn for everybody [G5] [W-CAN-4]", async () => {
    await using terminal = await inTerminal(["chat", "--agent", "writer", "Tell me about numbers"]);
    await terminal.until(/Numbers|numbers/);
    const early = terminal.written().length;
    await until("more of the answer", async () => terminal.written().length > early + 200);
    const turnId = turnIdIn(terminal.written());
    expect(await turnOf(turnId)).toMatchObject({ status: "running" });
    await terminal.press("C-c");
    await terminal.until(/cancelling; Ctrl-C once more quits/);
    expect(await terminal.ended()).toBe(1);
    expect((await terminal.screen()).at(-1)).toMatch(/^cancelled · \d+\.\d s$/);
    expect(await turnOf(turnId)).toMatchObject({ status: "ended", outcome: { kind: "cancelled" } });
  });

  test("replaces one status line, and leaves the tools, the answer and what it took", async () => {
    await using terminal = await inTerminal(["chat", "--agent", "shop", "Any offers?"], { columns: 100 });
    expect(await terminal.ended()).toBe(0);
    const screen = await terminal.screen();
    const shown = screen.join("\n");
    expect(terminal.written()).toContain("Comparing 2 prices…");
    expect(shown).not.toContain("Comparing 2 prices…");
    expect(shown).not.toContain("Thinking…");
    expect(shown).toMatch(/^✓ search_offers \d+\.\d s$/m);
    expect(shown).toContain("I could not look up your points just now");
    expect(screen.at(-1)).toMatch(/^completed · \d+\.\d s · [\d,]+ tokens in, [\d,]+ out$/);
  });

  test("cuts the status to a narrow screen, so that nothing of it is left over", async () => {
    await using terminal = await inTerminal(["chat", "--agent", "shop", "Any offers?"], { columns: 16 });
    expect(await terminal.ended()).toBe(0);
    const drawn = statusLinesIn(terminal.written());
    // The last column stays free.
    expect(drawn).toContain("Comparing 2 pr…");
    expect(Math.max(...drawn.map((line) => line.length))).toBe(15);
    // Of no status a piece has stayed on the screen.
    const screen = await terminal.screen();
    for (const line of drawn) expect(screen).not.toContain(line);
  });

  test("writes no escape sequence where NO_COLOR is set: no colours, no status over another, no line editor", async () => {
    await using terminal = await inTerminal(["chat", "--agent", "shop"], { env: { NO_COLOR: "1" } });
    await terminal.until(/> $/);
    await terminal.type("Any offers?");
    await terminal.press("Enter");
    await terminal.until(/completed · .*\r\n> $/);
    expect(terminal.written()).toContain("Comparing 2 prices…\r\n");
    await terminal.press("C-c");
    expect(await terminal.ended()).toBe(130);
    expect(terminal.written()).not.toContain(ESCAPE);
  });

  test("asks for line after line in one session, cancels one with Ctrl-C and goes on, and ends with 0 at Ctrl-D [G5]", async () => {
    await using terminal = await inTerminal(["chat", "--agent", "writer"]);
    await terminal.until(/> /);
    const [, session] = /session ([0-9a-f-]{36}) with writer/.exec(terminal.written()) ?? [];
    await terminal.type("Tell me about numbers");
    await terminal.press("Enter");
    await terminal.until(/turn [0-9a-f-]{36}/);
    await terminal.press("C-c");
    await terminal.until(/cancelled · /);
    const turnId = turnIdIn(terminal.written());
    const turn = await turnOf(turnId);
    expect(turn).toMatchObject({ session_id: session, outcome: { kind: "cancelled" } });
    await until("the prompt", async () => (await terminal.screen()).at(-1)?.trim() === ">");
    await terminal.press("C-d");
    expect(await terminal.ended()).toBe(0);
  });

  test("quits with 130 at the second Ctrl-C, and at one at the prompt", async () => {
    await using atPrompt = await inTerminal(["chat", "--agent", "writer"]);
    await atPrompt.until(/> /);
    await atPrompt.press("C-c");
    expect(await atPrompt.ended()).toBe(130);
    // A server that has stopped answering cannot cancel: only the second one helps.
    await using running = await inTerminal(["chat", "--agent", "writer", "Tell me about numbers"]);
    await running.until(/turn [0-9a-f-]{36}/);
    server.signal("SIGSTOP");
    try {
      await running.press("C-c");
      await running.until(/cancelling/);
      await running.press("C-c");
      expect(await running.ended()).toBe(130);
    } finally {
      server.signal("SIGCONT");
    }
  });
});

describe("chat in a pipe", () => {
  test("gives the answer and nothing else on stdout, without an escape sequence anywhere [G2]", async () => {
    const { out, err, code } = await runShell(`${quoteWords(commandOf(["chat", "--agent", "shop", "hi"]))} | cat`);
    expect(code).toBe(0);
    expect(out).toMatch(/^Here are the two offers[^✓]*without them\.\n$/);
    expect(err).toMatch(/^session [0-9a-f-]{36} with shop\nturn [0-9a-f-]{36}\nThinking…\n/);
    expect(err).toMatch(/^✓ search_offers \d+\.\d s$/m);
    expect(out + err).not.toContain(ESCAPE);
  });

  test("ends quietly when the reader has enough, and the turn runs on [G5]", async () => {
    const command = quoteWords(commandOf(["chat", "--agent", "writer", "Tell me about numbers"]));
    const { out, err, code } = await runShell(`${command} | head -1`);
    expect(out).toBe(`${STORY.split("\n")[0]}\n`);
    expect(code).toBe(0);
    expect(err).toMatch(/^session [0-9a-f-]{36} with writer\nturn [0-9a-f-]{36}\nThinking…\n$/);
    const turnId = turnIdIn(err);
    expect(await turnOf(turnId)).toMatchObject({ status: "running" });
    await call(`${server.url}/v1/turns/${turnId}/cancel`, { method: "POST" });
  });

  test("takes everything out of an answer that would command a terminal, also what two frames share", async () => {
    const { out, code } = await runProgram(["chat", "--agent", "hostile", "hi"]);
    expect({ out, code }).toEqual({ out: "safe red plain end\n", code: 0 });
  });

  test("ends with 1 when the turn fails, with what it said until then", async () => {
    const { out, err, code } = await runProgram(["chat", "--agent", "failing", "hi"]);
    expect({ out, code }).toEqual({ out: "So far\n", code: 1 });
    expect(err).toMatch(/\nfailed: INTERNAL_ERROR · \d+\.\d s\n$/);
  });

  test("takes a message from every line, in a session that can be taken up again, in a language of choice", async () => {
    const first = await runProgram(["chat", "--agent", "shop", "--locale", "de"], { input: "one\n\ntwo\n" });
    expect(first.code).toBe(0);
    expect(first.out.match(/Here are the two offers/g)).toHaveLength(2);
    expect(first.err).toContain("2 Preise werden verglichen…");
    const [, session = ""] = /session ([0-9a-f-]{36})/.exec(first.err) ?? [];
    const again = await runProgram(["chat", "--session", session, "three"]);
    expect(again.err).toContain(`session ${session} with shop\n`);
    expect(again.code).toBe(0);
  });
});

describe("frames for programs", () => {
  test("are the bytes of NDJSON, whole and in order, from chat, tail and replay alike [D-7] [G2]", async () => {
    const chat = await runProgram(["chat", "--agent", "shop", "--json", "hi"]);
    expect(chat.code).toBe(0);
    const { response_id: turnId } = JSON.parse(chat.out.split("\n")[0] ?? "") as { response_id: string };
    const headers = { accept: "application/x-ndjson" };
    const { text: wire } = await call(`${server.url}/v1/turns/${turnId}/stream`, { headers });
    expect(chat.out).toBe(wire);
    const [tail, replay, after] = await Promise.all([
      runProgram(["tail", turnId, "--json"]),
      runProgram(["replay", turnId, "--json", "--speed", "0"]),
      runProgram(["tail", turnId, "--json", "--after", "3"]),
    ]);
    expect([tail.out, replay.out]).toEqual([wire, wire]);
    expect(after.out).toBe(wire.split("\n").slice(3).join("\n"));
    const file = join(folder, "recording.ndjson");
    writeFileSync(file, chat.out);
    const { out } = await runShell(quoteWords([process.execPath, PROGRAM, "validate", file, "--route", "turn"]));
    expect(out).toBe(`ok: ${wire.trimEnd().split("\n").length} messages\n`);
  });
});

describe("tail and replay", () => {
  test("tail follows a turn while it runs, and leaves it alone when it is left [G5]", async () => {
    const session = await openSession(server.url, "writer");
    const turnId = await beginTurn(server.url, session, { message: "hi" });
    await using terminal = await inTerminal(["tail", turnId], { columns: 60 });
    await terminal.until(/\+0\.000 {5}1 {2}response_id/);
    const seen = (await turnOf(turnId)).last_seq;
    await terminal.until(new RegExp(` ${seen + 20} {2}text`));
    for (const line of (await terminal.screen()).slice(1)) expect(line).toMatch(/^ +\+\d+\.\d{3} +\d+ {2}\w+/);
    await terminal.press("C-c");
    expect(await terminal.ended()).toBe(130);
    expect(terminal.written()).toContain("left; the turn runs on");
    expect(await turnOf(turnId)).toMatchObject({ status: "running" });
    await call(`${server.url}/v1/turns/${turnId}/cancel`, { method: "POST" });
    // Read again, it has an end, and so has tail.
    const { out, code } = await runProgram(["tail", turnId]);
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/ cancelled {6} {"error":{"code":"REQUEST_CANCELLED"}}$/);
  });

  test("replay shows what chat showed, in the time that it took, or faster", async () => {
    const chat = await runProgram(["chat", "--agent", "shop", "hi"]);
    const turnId = turnIdIn(chat.err);
    const [, seconds = "0"] = /completed · (\d+\.\d) s/.exec(chat.err) ?? [];
    const startedAt = performance.now();
    const played = await runProgram(["replay", turnId]);
    const tookMs = performance.now() - startedAt;
    expect(played.out).toBe(chat.out);
    // Without the line about the session, it says what chat said, times included.
    expect(played.err).toBe(chat.err.slice(chat.err.indexOf("\n") + 1));
    // The figure is rounded to a tenth of a second.
    expect(tookMs).toBeGreaterThan(Number(seconds) * 1_000 - 100);
    expect(tookMs).toBeLessThan(Number(seconds) * 1_000 + WAIT_MS_MAX);
    expect((await runProgram(["replay", turnId, "--speed", "max"])).out).toBe(chat.out);
  });
});

describe("what cannot be", () => {
  const NOBODY = "11111111-1111-4111-8111-111111111111";

  test.each([
    [
      ["chat", "--agent", "nope", "hi"],
      "no agent is called nope here; --agent takes one of: shop, hostile, failing, writer",
    ],
    [
      ["chat", "--session", NOBODY, "hi"],
      `there is no session ${NOBODY} for you here; leave --session away to open one`,
    ],
    [["tail", NOBODY], `there is no turn ${NOBODY} for you here; check its id, --url and FRAMERAIL_API_KEY`],
    [["replay", "nonsense"], "there is no turn nonsense for you here; check its id, --url and FRAMERAIL_API_KEY"],
  ])("is said in one line with the remedy: %j", async (args, says) => {
    expect(await runProgram(args)).toEqual({ out: "", err: `error: ${says}\n`, code: 1 });
  });

  test("a key that the server does not know is refused in one line", async () => {
    const env = { FRAMERAIL_API_KEY: "frk_nonsense" };
    const says = "the server refuses the key in FRAMERAIL_API_KEY; make another with framerail key create";
    expect(await runProgram(["chat", "hi"], { env })).toEqual({ out: "", err: `error: ${says}\n`, code: 1 });
  });

  test("a cursor behind the end of a turn is refused, and one at its end has nothing after it [D-2]", async () => {
    const { err } = await runProgram(["chat", "--agent", "hostile", "hi"]);
    const turnId = turnIdIn(err);
    const { last_seq: last } = await turnOf(turnId);
    const past = await runProgram(["tail", turnId, "--after", String(last + 7)]);
    expect(past).toMatchObject({ out: "", code: 1 });
    expect(past.err).toMatch(/^error: the server does not have the frames after that cursor.*leave --after away.*\n$/);
    expect(await runProgram(["tail", turnId, "--after", String(last)])).toEqual({ out: "", err: "", code: 0 });
  });
});

test("a server that dies and comes back is said to, and what it had said is shown once [G1] [G3]", async () => {
  await using terminal = await inTerminal(["chat", "--agent", "writer", "Tell me about numbers"], { columns: 200 });
  await terminal.until(/From 1 to 10/);
  const { port } = server;
  await server.kill();
  await terminal.until(/the connection is gone \(\w+\); attempt 2 in \d+\.\d s/);
  server = await startServer(String(port));
  await terminal.until(/connected again, going on where it was/);
  expect(await terminal.ended()).toBe(1);
  expect(terminal.written()).toMatch(/failed: INTERNAL_ERROR/);
  expect(terminal.written().split("# A walk through the numbers")).toHaveLength(2);
});
