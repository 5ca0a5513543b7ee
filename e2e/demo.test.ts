import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walkThroughNumbers } from "../packages/framerail/demo/agents/writer/numbers.js";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { call, openSession } from "./harness/caller.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";
import { readSse } from "./harness/sse-reader.js";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "packages/framerail/bin/framerail.js");

/** The demo's, with windows that only the answer closes: on a busy machine two that begin at once are parted by more. */
function copyRegistry(): string {
  const copy = mkdtempSync(join(tmpdir(), "framerail-registry-"));
  cpSync(join(ROOT, "packages/framerail/demo/registry"), copy, { recursive: true });
  const file = join(copy, "verticals/shop/status_events.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("window_ms: 150", "window_ms: 5000"));
  return copy;
}

let folder: string;
let registry: string;
let program: Program;
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  registry = copyRegistry();
  program = await startProgram({
    args: ["dev", "--data", folder, "--registry", registry, "--port", "0"],
    env: { FRAMERAIL_SCRIPT_SPEED: "50", OPENAI_API_KEY: "" },
  });
}, 120_000);
afterAll(async () => {
  await program.kill();
  for (const path of [folder, registry]) rmSync(path, { recursive: true, force: true });
});

async function ask(agentId: string, language = "en") {
  const session = await openSession(program.url, agentId);
  const { text } = await call(`${program.url}/v1/sessions/${session}/turns`, {
    method: "POST",
    headers: { "accept-language": language },
    body: { message: "anything at all" },
  });
  const frames = readSse(text)
    .events.filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data));
  return { frames, types: frames.map(({ event_type }) => event_type as string) };
}

describe("the demo agents", () => {
  test("answer any message: the shop with sub-agents, a placeholder, a failing tool and an honest sentence [W-AC-3] [W-AC-8]", async () => {
    const { frames, types } = await ask("shop");
    const names = frames.flatMap(({ tool_call }) => (tool_call ? [tool_call.name] : []));
    expect(new Set(names)).toEqual(new Set(["offers", "rewards", "search_offers", "points_balance", "render_offers"]));
    expect(types.indexOf("data_loading")).toBeLessThan(types.indexOf("data_loaded"));
    const loaded = frames.find(({ event_type }) => event_type === "data_loaded");
    expect(loaded.data.items.map(({ id }: { id: string }) => id)).toEqual(["OFF_1", "OFF_2"]);
    expect(frames.find(({ event_type }) => event_type === "error")).toMatchObject({ is_final: false });
    const text = frames.map(({ event_type, chunk }) => (event_type === "text" ? chunk : "")).join("");
    expect(text).toContain("I could not look up your points just now");
    expect(types.at(-1)).toBe("completed");
    expect(types.filter((type) => type === "completed")).toHaveLength(1);
  });

  test("tell their status in the reader's language, several at once in one line [W-FR-3b] [W-AC-1] [W-AC-2]", async () => {
    const saidIn = async (language: string) =>
      (await ask("shop", language)).frames.flatMap(({ event_type, data }) =>
        event_type === "status" ? [data.message as string] : [],
      );
    // Both sub-agents begin at once: who is named first is who was first.
    expect((await saidIn("en-GB,en;q=0.8")).join("\n")).toMatch(
      /^(?:Searching offers near you and looking up your points|Looking up your points and searching offers near you)…$/m,
    );
    expect(await saidIn("de")).toContain("2 Preise werden verglichen…");
    expect(await saidIn("tlh")).toContain("Comparing 2 prices…");
  });

  test("write at length, and a graph of another framework is one of them", async () => {
    const { frames } = await ask("writer");
    const text = frames.map(({ event_type, chunk }) => (event_type === "text" ? chunk : "")).join("");
    expect(text).toBe(walkThroughNumbers(16_000));
    expect(frames.filter(({ event_type }) => event_type === "text")).toHaveLength(4_000);
    const { types } = await ask("graph");
    expect(types.filter((type) => type === "status")).toHaveLength(2);
    expect(types.at(-1)).toBe("completed");
  });
});

const WRONG = `import { defineAgent } from "framerail/agent";
import { z } from "zod";

const times: number = "three";
const piece = z.string();

export default defineAgent({
  id: "echo",
  async run({ message }, { writer }) {
    for (let time = 0; time < times; time += 1) writer.text(piece.parse(message.long));
  },
});
`;

describe("a start that cannot be", () => {
  const dev = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, "dev", ...args], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, PORT: "", ...env },
      // One that starts after all would never end.
      timeout: 45_000,
    });
    return { status, stdout, stderr };
  };

  test("says so in one line with the remedy: port in use, folder in use, no such folder, no port", () => {
    const other = copyEmbeddedTemplate();
    const taken = dev(["--data", other, "--port", String(program.port)]);
    rmSync(other, { recursive: true, force: true });
    expect(taken).toEqual({
      status: 1,
      stdout: "",
      stderr: `error: port ${program.port} is in use; choose another with --port\n`,
    });
    const locked = dev(["--data", folder, "--port", "0"]);
    expect(locked.status).toBe(1);
    expect(locked.stderr).toMatch(/^error: the data folder .* is in use by process \d+; stop it first\n$/);
    expect(dev(["--agents", "no/such/folder"])).toMatchObject({ status: 1 });
    expect(dev(["--port", "http"])).toMatchObject({ status: 2 });
  });

  test("names every agent file that does not load, and why", () => {
    const agents = mkdtempSync(join(tmpdir(), "framerail-agents-"));
    mkdirSync(join(agents, "sub"));
    writeFileSync(join(agents, "broken.ts"), "export default defineAgent({ id: ");
    writeFileSync(join(agents, "empty.ts"), "export const nothing = 1;");
    const { status, stderr } = dev(["--agents", agents, "--port", "0"]);
    rmSync(agents, { recursive: true, force: true });
    expect(status).toBe(1);
    expect(stderr).toContain("broken.ts:");
    expect(stderr).toContain("empty.ts: it exports nothing by default");
  });

  test("names the line of an agent file whose types are wrong, unless nobody asked, and leaves nothing behind", async () => {
    const data = copyEmbeddedTemplate();
    const agents = join(data, "agents");
    mkdirSync(agents);
    symlinkSync(join(ROOT, "node_modules"), join(data, "node_modules"));
    writeFileSync(join(agents, "echo.ts"), WRONG);
    const args = ["dev", "--agents", agents, "--data", data, "--port", "0"];
    const says = `${join(agents, "echo.ts")}:4:7: Type 'string' is not assignable to type 'number' (TS2322), and 1 more`;
    const line = `error: ${says}. Correct it, or start with --no-type-check\n`;
    expect(dev(args.slice(1))).toEqual({ status: 1, stdout: "", stderr: line });
    expect(existsSync(join(data, "lock"))).toBe(false);
    // Its types are erased, and it runs; corrected, it passes.
    const unchecked = await startProgram({ args });
    expect(await unchecked.stop()).toBe(0);
    writeFileSync(join(agents, "echo.ts"), WRONG.replace('= "three"', "= 3").replace("message.long", "message"));
    const corrected = await startProgram({ args, isTyped: true });
    expect(await corrected.stop()).toBe(0);
    rmSync(data, { recursive: true, force: true });
  });
});
