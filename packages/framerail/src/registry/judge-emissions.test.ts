import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { Frame } from "@framerail/protocol";
import { createFrameEncoder, projectFrame04, readFrame, systemClock } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { AgentManifest } from "../agent/agent.js";
import { createPolicy } from "../policy/create-policy.js";
import { requireManifests } from "../worker/build-agents.js";
import { judgeEmissions } from "./judge-emissions.js";
import { openRegistry } from "./open-registry.js";
import type { Registry } from "./registry.js";
import { generateStatusTypes } from "./registry-types.js";
import {
  EXAMPLE,
  entryText,
  localeText,
  REPOSITORY,
  soundFiles,
  writeFolder,
  writeInto,
} from "./testing/registry-folder.js";

const FRAGMENT = "platform/status_events.yaml";

function openOf(entries: string, ids: readonly string[]): Registry {
  return openRegistry(writeFolder({ [FRAGMENT]: entries, "locales/en.yaml": localeText(ids) }));
}

/** An agent that is itself an emitter, with one sub-agent. */
function manifestOf(shop: readonly string[], own: readonly string[] = []): AgentManifest {
  return {
    id: "assistant",
    emitters: [
      { id: "assistant", emits: own },
      { id: "shop", emits: shop },
    ],
  };
}

function openMixed(): Registry {
  const entries = [
    entryText("searching"),
    entryText("old", { lifecycle: "deprecated" }),
    entryText("redeeming", { emitter_subagents: "[rewards, points]" }),
    entryText("answering", { emitter_subagents: "[assistant]" }),
  ];
  return openOf(entries.join(""), ["searching", "old", "redeeming", "answering"]);
}

describe("an agent that is built", () => {
  test("is refused for an unknown id, a deprecated id and another's id, each in its own words [W-REG-8]", () => {
    const registry = openMixed();
    const problems = judgeEmissions(manifestOf(["searching", "nowhere", "old", "redeeming"]), registry);
    expect(problems.map(({ kind, id, emitter }) => [kind, id, emitter])).toEqual([
      ["unknown", "nowhere", "shop"],
      ["deprecated", "old", "shop"],
      ["wrong_emitter", "redeeming", "shop"],
    ]);
    expect(problems.map(({ message }) => message)).toEqual([
      '"shop" emits "nowhere", which is not in the status registry',
      `"shop" emits "old", which is deprecated since 2026-05-15: write something else (${FRAGMENT}:7)`,
      `"shop" emits "redeeming", which only rewards, points may emit (${FRAGMENT}:14)`,
    ]);
  });

  test("fails with one error that names every id and its emitter [W-AC-5, W-FR-11]", () => {
    const registry = openMixed();
    const build = () => requireManifests([manifestOf(["nowhere", "redeeming"], ["searching", "gone"])], registry);
    expect(build).toThrow(expect.objectContaining({ code: "UNREGISTERED_STATUS" }));
    for (const named of ['agent "assistant"', '"nowhere"', '"redeeming"', '"searching"', '"gone"', '"shop"'])
      expect(build).toThrow(named);
    expect(() => requireManifests([manifestOf(["searching"], ["answering"])], registry)).not.toThrow();
  });

  test("emits under its own id, not under those of its sub-agents [W-REG-8]", () => {
    const registry = openMixed();
    expect(judgeEmissions(manifestOf([], ["answering"]), registry)).toEqual([]);
    expect(judgeEmissions(manifestOf(["answering"]), registry)).toMatchObject([{ kind: "wrong_emitter" }]);
  });

  test("may keep a deprecated id for its grace, but never another's [I-6]", () => {
    const registry = openMixed();
    expect(judgeEmissions(manifestOf(["old"]), registry, { allowDeprecated: true })).toEqual([]);
    expect(judgeEmissions(manifestOf([], ["old"]), registry, { allowDeprecated: true })).toMatchObject([
      { kind: "wrong_emitter", emitter: "assistant" },
    ]);
  });

  test("names an id once for each emitter, however often it is declared", () => {
    const registry = openMixed();
    expect(judgeEmissions(manifestOf(["gone", "gone"], ["gone"]), registry)).toHaveLength(2);
  });

  test("is not fooled by the names that every object has", () => {
    const registry = openMixed();
    expect(judgeEmissions(manifestOf(["constructor", "__proto__"]), registry)).toHaveLength(2);
  });
});

describe("a registry that changes", () => {
  test("an entry that is removed fails the next build of its emitters [W-RB-1]", () => {
    const manifest = manifestOf(["searching"]);
    requireManifests([manifest], openOf(entryText("searching") + entryText("b"), ["searching", "b"]));
    const reverted = openOf(entryText("b"), ["b"]);
    expect(() => requireManifests([manifest], reverted)).toThrow('"searching", which is not in the status registry');
  });

  test("a rename is a removal and an addition: the old id fails, the new one is another [W-REG-7]", () => {
    const renamed = openOf(entryText("seeking"), ["seeking"]);
    expect(judgeEmissions(manifestOf(["searching", "seeking"]), renamed)).toMatchObject([
      { kind: "unknown", id: "searching" },
    ]);
    const both = openOf(entryText("seeking") + entryText("searching", { lifecycle: "deprecated" }), [
      "seeking",
      "searching",
    ]);
    expect(judgeEmissions(manifestOf(["searching", "seeking"]), both)).toMatchObject([
      { kind: "deprecated", id: "searching" },
    ]);
  });

  test("an agent is not promoted to where an entry of its bundle is missing [W-REG-14]", () => {
    const here = openOf(entryText("searching"), ["searching"]);
    const there = openOf(entryText("other"), ["other"]);
    const bundle = { ...manifestOf(["searching"]), registry_hash: here.hash };
    expect(bundle.registry_hash).not.toBe(there.hash);
    expect(() => requireManifests([bundle], there)).toThrow('"searching"');
  });

  test("an entry that is added can be emitted at the next start; 0.5 shows its sentence, 0.4 nothing [W-AC-10]", () => {
    const dir = writeFolder(soundFiles({ platform: ["searching"] }));
    const manifest = manifestOf(["sorting"]);
    expect(() => requireManifests([manifest], openRegistry(dir))).toThrow('"sorting"');
    writeInto(dir, FRAGMENT, entryText("searching") + entryText("sorting"));
    writeInto(dir, "locales/en.yaml", localeText(["searching", "sorting"]));
    const registry = openRegistry(dir);
    requireManifests([manifest], registry);
    expect(generateStatusTypes(registry)).toContain('"sorting": true;');
    const frames: Frame[] = [];
    const encoder = createFrameEncoder({ responseId: "resp_1", clock: systemClock });
    const turn = createPolicy({ registry, locale: "en", clock: systemClock }).open({
      emit(draft) {
        const reading = readFrame(JSON.parse(encoder.encode(draft.type, frames.length + 1, draft.payload)));
        if (reading.kind === "frame") frames.push(reading.frame);
      },
    });
    turn.apply({ type: "status", event_id: "sorting" }, "shop");
    turn.flush();
    turn.close();
    expect(frames).toMatchObject([
      { version: "0.5", event_type: "status", data: { event_id: "sorting", message: "Doing sorting" } },
    ]);
    expect(frames.map((frame) => projectFrame04(frame))).toEqual([undefined]);
  });
});

test("a flow that is no chat is judged by the same registry, and its own dialect is refused [W-REG-13]", () => {
  const registry = openRegistry(EXAMPLE);
  const scheduled = (emits: readonly string[]) => ({ id: "weekly_digest", emitters: [{ id: "shop", emits }] });
  expect(judgeEmissions(scheduled(["searching_offers"]), registry)).toEqual([]);
  expect(judgeEmissions(scheduled(["dm_searching_offers"]), registry)).toMatchObject([{ kind: "unknown" }]);
});

test("a service with an unknown id ends before it listens [W-REG-10]", async () => {
  const source = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);
  const service = `
    import { createServer } from "node:http";
    import { requireManifests } from ${source("../worker/build-agents.ts")};
    import { openRegistry } from ${source("open-registry.ts")};
    const registry = openRegistry(process.argv[2]);
    requireManifests([{ id: "shop", emitters: [{ id: "shop", emits: [process.argv[3]] }] }], registry);
    const server = createServer().listen(0, "127.0.0.1", () => { console.log("listening"); server.close(); });
  `;
  const dir = writeFolder({ "service.mts": service });
  const start = async (id: string) => {
    const child = spawn(process.execPath, ["--import", "tsx", join(dir, "service.mts"), EXAMPLE, id], {
      cwd: REPOSITORY,
      env: { ...process.env, TSX_TSCONFIG_PATH: join(REPOSITORY, "tsconfig.check.json") },
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { out, err, code: code as number };
  };
  const [good, bad] = await Promise.all([start("searching_offers"), start("searching_ofers")]);
  expect(good).toEqual({ out: "listening\n", err: "", code: 0 });
  expect(bad).toMatchObject({ out: "", err: expect.stringContaining('"searching_ofers"'), code: 1 });
});
