import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { IDS_SOFT_MAX } from "../registry/limits.js";
import { EXAMPLE, entryText, localeText, soundFiles, writeFolder } from "../registry/testing/registry-folder.js";
import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

const FRAGMENT = "platform/status_events.yaml";

interface Run {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** Runs a command line; what it says is kept apart as a terminal keeps it. */
async function framerail(...args: readonly string[]): Promise<Run> {
  let out = "";
  let err = "";
  const terminal = createTerminal({
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  const code = await runProgram(args, terminal);
  return { out, err, code };
}

function brokenFiles() {
  return { [FRAGMENT]: entryText("a") + entryText("b"), "locales/en.yaml": localeText(["a"]) };
}

describe("framerail", () => {
  test("says its version and helps with an example", async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
      version: string;
    };
    expect(await framerail("--version")).toEqual({ out: `${version}\n`, err: "", code: 0 });
    for (const args of [[], ["registry"], ["registry", "check"], ["registry", "types"]]) {
      const { out, code } = await framerail(...args, "--help");
      expect({ code, args }).toEqual({ code: 0, args });
      expect(out).toMatch(/Usage: framerail[\s\S]*Example:\n {2}framerail registry/);
    }
  });

  test.each([
    [[], "Usage"],
    [["nonsense"], "unknown command 'nonsense'"],
    [["registry"], "Usage"],
    [["registry", "nonsense"], "unknown command 'nonsense'"],
    [["registry", "check"], "missing required argument 'dir'"],
    [["registry", "check", "a", "b"], "too many arguments"],
    [["registry", "list", "a", "--nonsense"], "unknown option '--nonsense'"],
    [["registry", "types", "a", "--out"], "argument missing"],
  ])("ends with 2 when it is used wrongly: %j", async (args, says) => {
    const { out, err, code } = await framerail(...args);
    expect({ out, code }).toEqual({ out: "", code: 2 });
    expect(err).toContain(says);
  });
});

describe("framerail registry check", () => {
  test("passes the example", async () => {
    const { out, code } = await framerail("registry", "check", EXAMPLE);
    expect({ out, code }).toEqual({ out: "ok: 9 ids, 4 fragments, 5 locales, 0 errors, 0 warnings\n", code: 0 });
  });

  test("fails on a key that no locale has, and says where [W-REG-5]", async () => {
    const dir = writeFolder(brokenFiles());
    const { out, err, code } = await framerail("registry", "check", dir);
    expect({ err, code }).toEqual({ err: "", code: 1 });
    expect(out).toBe(
      `${FRAGMENT}:7: error missing-key: b: "status.b" is missing in locales/en.yaml\n` +
        "failed: 2 ids, 1 fragment, 1 locale, 1 error, 0 warnings\n",
    );
  });

  test("prints one JSON document for programs [W-REG-3]", async () => {
    const dir = writeFolder(brokenFiles());
    const [bad, good] = await Promise.all([
      framerail("registry", "check", dir, "--json"),
      framerail("registry", "check", EXAMPLE, "--json"),
    ]);
    const message = '"status.b" is missing in locales/en.yaml';
    expect(JSON.parse(bad.out)).toEqual({
      ok: false,
      errors: [{ file: FRAGMENT, line: 7, id: "b", rule: "missing-key", message }],
      warnings: [],
    });
    expect(bad.code).toBe(1);
    expect([JSON.parse(good.out), good.code]).toEqual([{ ok: true, errors: [], warnings: [] }, 0]);
  });

  test("warns of many ids and passes [W-NFR-3, W-R-7]", async () => {
    const ids = Array.from({ length: IDS_SOFT_MAX + 1 }, (_, index) => `id_${index}`);
    const dir = writeFolder(soundFiles({ platform: ids }));
    const { out, code } = await framerail("registry", "check", dir);
    expect(code).toBe(0);
    expect(out).toContain(`warning many-ids: 51 ids, over 50: group them or retire some (${FRAGMENT} 51)`);
  });

  test("fails on a folder that is not there, and takes another default locale", async () => {
    const dir = writeFolder({ [FRAGMENT]: entryText("a"), "locales/de.yaml": localeText(["a"]) });
    expect((await framerail("registry", "check", join(dir, "nowhere"))).code).toBe(1);
    expect((await framerail("registry", "check", dir)).code).toBe(1);
    expect((await framerail("registry", "check", dir, "--default-locale", "de")).code).toBe(0);
  });
});

describe("framerail registry", () => {
  test("lists entries with their owners, for people and for programs [W-REG-9]", async () => {
    const [people, programs] = await Promise.all([
      framerail("registry", "list", EXAMPLE),
      framerail("registry", "list", EXAMPLE, "--json"),
    ]);
    const lines = people.out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +POLICY +EMITTERS +OWNER +LIFECYCLE +FILE$/);
    expect(lines).toHaveLength(10);
    expect(people.out).toMatch(
      /^looking_up_points_balance +batch +rewards +rewards +active +verticals\/rewards\/status_events\.yaml$/m,
    );
    expect(JSON.parse(programs.out)).toHaveLength(9);
    expect([people.code, programs.code]).toEqual([0, 0]);
  });

  test("writes types to a file or to stdout", async () => {
    const dir = writeFolder({});
    const file = join(dir, "status-ids.d.ts");
    const [printed, written] = await Promise.all([
      framerail("registry", "types", EXAMPLE),
      framerail("registry", "types", EXAMPLE, "--out", file),
    ]);
    expect(printed.out).toContain('    "searching_offers": true;\n');
    expect(written).toEqual({ out: "", err: "", code: 0 });
    expect(readFileSync(file, "utf8")).toBe(printed.out);
    const nowhere = await framerail("registry", "types", EXAMPLE, "--out", join(dir, "no/such/file.d.ts"));
    expect(nowhere).toMatchObject({ out: "", err: expect.stringContaining("cannot be written (ENOENT)"), code: 1 });
  });

  test("prints CODEOWNERS as seen from the current folder [W-REG-9]", async () => {
    const elsewhere = writeFolder(soundFiles({ platform: ["a"] }));
    const [inside, outside] = await Promise.all([
      framerail("registry", "owners", relative(process.cwd(), EXAMPLE), "--org", "acme"),
      framerail("registry", "owners", elsewhere),
    ]);
    expect(inside.out).toContain("/examples/registry/verticals/shop/status_events.yaml @acme/shop\n");
    expect(outside.out).toContain(`\n/${FRAGMENT} @your-org/platform\n`);
  });

  test("neither lists nor writes anything for a registry with errors", async () => {
    const dir = writeFolder(brokenFiles());
    const file = join(dir, "status-ids.d.ts");
    const runs = await Promise.all([
      framerail("registry", "list", dir, "--json"),
      framerail("registry", "types", dir, "--out", file),
      framerail("registry", "owners", dir),
    ]);
    for (const run of runs)
      expect(run).toEqual({ out: "", err: expect.stringContaining("error missing-key: b:"), code: 1 });
    expect(existsSync(file)).toBe(false);
  });
});

describe("what files say", () => {
  const note = "use b\\e[2J\\nplatform/x.yaml:1: error forged: c\\u202e";
  const old = () => entryText("a", { lifecycle: `deprecated\n  deprecation: {since: "2026-01-01", note: "${note}"}` });
  const unreadable = { "verticals/shop/status_events.yaml": '- id: "a\\q\u001b[2J\n\u009b2Jx\n' };

  function expectPlain(text: string) {
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(text).not.toMatch(/^platform\/x/m);
  }

  test("stays on its line of a list of problems and commands no terminal [G7]", async () => {
    const sound = { [FRAGMENT]: old(), "locales/en.yaml": localeText(["a"]) };
    const checked = await framerail("registry", "check", writeFolder(sound));
    expect(checked.out).toMatch(/^platform\/status_events.yaml:1: warning deprecated: a: is .*forged/);
    expectPlain(checked.out);
    const dir = writeFolder({ ...sound, ...unreadable, "locales/x\n\u001b[2Jy.yml": "" });
    for (const command of ["check", "list"]) {
      const { out, err } = await framerail("registry", command, dir);
      expect(out + err).toMatch(/^verticals\/shop\/status_events.yaml:1: error yaml: /m);
      expectPlain(out + err);
    }
  });

  test("stays on its line also where a program refuses to start [G7]", async () => {
    const agents = writeFolder({
      "assistant.mjs":
        'export default { manifest: { id: "assistant", emitters: [{ id: "shop", emits: ["a"] }] }, run() {} };\n',
    });
    const start = async (files: Parameters<typeof writeFolder>[0]) => {
      const options = ["--agents", agents, "--registry", writeFolder(files), "--no-type-check", "--port", "0"];
      return framerail("dev", ...options, "--data", join(writeFolder({}), "data"));
    };
    const sound = { [FRAGMENT]: old(), "locales/en.yaml": localeText(["a"]) };
    const refused = await start(sound);
    expect(refused.err).toContain('"shop" emits "a", which is deprecated since');
    expectPlain(refused.err);
    const broken = await start({ ...sound, ...unreadable, "locales/x\nforged.yml": "" });
    expect(broken.err).toContain("the status registry has errors:\n  locales/x forged.yml:1 ");
    expect(broken.err).toContain("\n  verticals/shop/status_events.yaml:1 ");
    expectPlain(broken.err);
  });
});

test("servers take the default locale that the registry is checked with [W-GAP-4]", async () => {
  const registry = writeFolder({ [FRAGMENT]: entryText("a"), "locales/fr.yaml": localeText(["a"]) });
  const agents = writeFolder({
    "assistant.mjs": 'export default { manifest: { id: "assistant", emitters: [] }, run() {} };\n',
  });
  const options = ["--agents", agents, "--registry", registry, "--no-type-check", "--default-locale", "de"];
  for (const command of [["dev"], ["serve", "--database-url", "postgres://localhost/none"]]) {
    const { err, code } = await framerail(...command, ...options);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("locales/de.yaml:1 is missing") });
  }
});
