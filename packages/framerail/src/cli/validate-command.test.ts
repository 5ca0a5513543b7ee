import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame } from "@framerail/protocol";
import { formatTimestamp, projectFrame04 } from "@framerail/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-validate-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function validate(recording: string | undefined, ...args: readonly string[]) {
  let [out, err] = ["", ""];
  const terminal = createTerminal({ out: (text) => (out += text), err: (text) => (err += text) });
  const file = join(folder, "recording");
  if (recording !== undefined) writeFileSync(file, recording);
  const code = await runProgram(["validate", recording === undefined ? join(folder, "none") : file, ...args], terminal);
  return { out, err, code };
}

const frame = (seq: number, event_type: string, payload: object = {}) =>
  JSON.stringify({ event_type, version: "0.5", timestamp: formatTimestamp(seq), response_id: "r", seq, ...payload });
const sse = (...frames: readonly string[]) =>
  `: ok\n\nretry: 1000\n\n${frames.map((data) => `data: ${data}\n\n`).join("")}data: [DONE]\n\n`;
const TURN = [
  frame(1, "response_id"),
  frame(2, "tool_call", { tool_call: { id: "c", name: "search", type: "function" } }),
  frame(3, "tool_completed", { tool_call: { id: "c", name: "search", type: "function" } }),
  frame(4, "text", { chunk: "Hi" }),
  frame(5, "completed"),
];
const [first = "", call = "", closed = "", text = "", end = ""] = TURN;

test("a turn that is whole is said to be, as events or as lines, from its start or from a cursor [W-FR-9a] [L-29]", async () => {
  expect(await validate(sse(...TURN))).toEqual({ out: "ok: 6 messages\n", err: "", code: 0 });
  expect(await validate(TURN.join("\n"))).toEqual({ out: "ok: 5 messages\n", err: "", code: 0 });
  expect(await validate(sse(text, end))).toMatchObject({ code: 0 });
  expect(
    await validate(sse(first, frame(2, "of_the_future"), frame(3, "text", { chunk: "" }), frame(4, "completed"))),
  ).toMatchObject({ code: 0 });
});

test.each([
  ["no terminal", TURN.slice(0, 4).join("\n"), "message 4: the stream was cut: it has no terminal frame\n"],
  ["a second end", sse(...TURN, frame(6, "completed")), "message 6: completed came after the end\n"],
  ["a gap", [first, call, closed, frame(9, "completed")].join("\n"), "message 4: seq 9 came after 3\n"],
  ["an open pair", [first, call, frame(3, "completed")].join("\n"), /^message 3: /],
  ["text before the start of another turn", [first, first].join("\n"), /^message 2: /],
  ["no frame", [first, "{}"].join("\n"), /^message 2: /],
  ["nothing that is an object", [first, "null", "7"].join("\n"), /^message 2: .*\nmessage 3: /],
  ["no JSON", [first, "{nonsense"].join("\n"), /^message 2: JSON refused/],
  ["nothing", "", /no terminal frame/],
  ["the sentinel alone", "data: [DONE]\n\n", /^message 1: the sentinel came before a terminal frame/],
])("a recording with %s is told where it breaks, with exit code 1 [L-29]", async (_, recording, says) => {
  const { out, code, err } = await validate(recording);
  expect({ code, err }).toEqual({ code: 1, err: "" });
  if (typeof says === "string") expect(out).toBe(says);
  else expect(out).toMatch(says);
});

const as04 = (...frames: readonly string[]) =>
  frames.flatMap((text) => {
    const projected = projectFrame04(JSON.parse(text) as Frame);
    return projected === undefined ? [] : [JSON.stringify(projected)];
  });
const status = frame(2, "status", { data: { event_id: "searching_offers", message: "Searching offers…" } });
const failure = frame(6, "error", { error: { code: "INTERNAL_ERROR" }, is_final: true });
const cancelled = frame(7, "cancelled", { error: { code: "REQUEST_CANCELLED" } });

test("a turn as a client of 0.4 gets it is whole, with the gaps that it may have [D-8] [W-RB-3]", async () => {
  const turn = as04(first, status, frame(5, "text", { chunk: "Hi" }), failure);
  expect(turn.join()).not.toContain('"seq":2');
  expect(await validate(sse(...turn))).toEqual({ out: "ok: 4 messages\n", err: "", code: 0 });
  expect(await validate(as04(first, cancelled).join("\n"))).toMatchObject({ code: 0 });
  // An addition to 0.4 that a sender need not know; the client ends at any error.
  const [, bare = ""] = as04(first, failure);
  expect(await validate([turn[0], bare.replace(',"is_final":true', "")].join("\n"))).toMatchObject({ code: 0 });
});

const [first04 = "", text04 = "", end04 = ""] = as04(first, text, end);
test.each([
  ["a place taken twice", [first04, text04, text04, end04].join("\n"), "message 3: seq 4 came after 4\n"],
  ["a frame of 0.5", [first04, text, end04].join("\n"), "message 2: version changed within the turn\n"],
  [
    "an unknown frame of 0.5",
    [first04, frame(2, "novel"), end04].join("\n"),
    "message 2: version changed within the turn\n",
  ],
  ["text as 0.5 has it", [first04, text.replace("0.5", "0.4"), end04].join("\n"), /^message 2: text frame/],
  ["no end", [first04, text04].join("\n"), "message 2: the stream was cut: it has no terminal frame\n"],
  [
    "more after an error without is_final",
    [first04, frame(2, "error", { error: { code: "INTERNAL_ERROR" }, version: "0.4" }), end04].join("\n"),
    "message 3: completed came after the end\n",
  ],
])("a recording of 0.4 with %s is told where it breaks [D-8] [W-RB-3]", async (_, recording, says) => {
  const { out, code } = await validate(recording);
  expect(code).toBe(1);
  if (typeof says === "string") expect(out).toBe(says);
  else expect(out).toMatch(says);
});

test("a recording of 0.5 has no frame of 0.4 in it [D-8]", async () => {
  const { out, code } = await validate(
    [first, as04(frame(2, "text", { chunk: "Hi" })).join(""), frame(3, "completed")].join("\n"),
  );
  expect({ out, code }).toEqual({ out: "message 2: version changed within the turn\n", code: 1 });
});

test("a pipeline's recording is judged by its own route, and told as JSON [L-10]", async () => {
  const eof = { type: "eof", eof: { reason: "complete", has_more: false, run_progress: {}, request_progress: {} } };
  const log = { type: "log", log: { level: "info", message: "starting" } };
  const lines = [log, eof].map((message) => JSON.stringify(message)).join("\n");
  const whole = await validate(lines, "--route", "source_discover", "--json");
  expect(whole).toMatchObject({ code: 0, out: '{"ok":true,"messages":2,"findings":[]}\n' });
  const cut = await validate(JSON.stringify(log), "--route", "pipeline_read", "--json");
  expect(JSON.parse(cut.out)).toMatchObject({ ok: false, messages: 1, findings: [{ message: 1 }] });
});

test("a file that is not there, and a route that is none, are said in one line", async () => {
  const missing = await validate(undefined);
  expect(missing.code).toBe(1);
  expect(missing.err).toMatch(/^error: .* cannot be read\n$/);
  expect(await validate("", "--route", "nonsense")).toMatchObject({ code: 2 });
});
