import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProgramEnd } from "./prepare.mjs";
import { build, prepare } from "./prepare.mjs";

const PACKAGES = {
  "": {},
  "node_modules/a": { version: "1.0.0" },
  "node_modules/b-win32": { version: "1.0.0", optional: true },
};

const SOURCES = ["packages/console/src/main.tsx", "packages/client/src/index.ts", "packages/protocol/src/index.ts"];

let root = "";
let ran: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "prepare-"));
  ran = [];
  writeLockfile(PACKAGES);
  for (const path of SOURCES) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), "first");
  }
  vi.spyOn(console, "log").mockReturnValue(undefined);
});

afterEach(() => {
  rmSync(root, { recursive: true });
  vi.restoreAllMocks();
});

function writeLockfile(packages: object, path = "package-lock.json"): void {
  writeFileSync(join(root, path), JSON.stringify({ packages }));
}

/** Plays npm, tsc and vite: notes what was asked for, and leaves what each leaves behind. */
async function run(program: string, args: readonly string[]): Promise<ProgramEnd> {
  const isVite = args[0]?.endsWith("vite.js");
  ran.push(program === "npm" ? `npm ${args.join(" ")}` : isVite ? CONSOLE : args.slice(1).join(" "));
  await sleep(5);
  const built = ["packages/protocol/dist", "packages/client/dist", "packages/framerail/dist"];
  const made = program === "npm" ? ["node_modules"] : isVite ? ["packages/framerail/dist/console"] : built;
  for (const folder of made) mkdirSync(join(root, folder), { recursive: true });
  return { code: 0, signal: null };
}

/** A lock whose owner has ended. */
function leaveLock(token: string): string {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const path = join(root, ".cache/prepare.lock");
  mkdirSync(join(root, ".cache"));
  writeFileSync(path, JSON.stringify({ pid: dead, token }));
  return path;
}

const BUILD = "-b packages/protocol packages/client packages/framerail";
const CONSOLE = "the console";
const INSTALL = "npm ci --ignore-scripts --no-audit --no-fund";

test("a fresh clone is installed and built; the next command finds it done", async () => {
  await prepare({ root, run });
  await prepare({ root, run });
  expect(ran).toEqual([INSTALL, `${BUILD} --force`, CONSOLE, BUILD]);
});

test("the console is built again when a source of it, or of what it is made of, has changed or is gone", async () => {
  await prepare({ root, run });
  for (const path of SOURCES) {
    ran = [];
    writeFileSync(join(root, path), "second");
    await prepare({ root, run });
    await prepare({ root, run });
    expect(ran, path).toEqual([BUILD, CONSOLE, BUILD]);
  }
  ran = [];
  writeFileSync(join(root, "packages/console/src/new.tsx"), "");
  await prepare({ root, run });
  rmSync(join(root, "packages/console/src/new.tsx"));
  await prepare({ root, run });
  rmSync(join(root, "packages/framerail/dist/console"), { recursive: true });
  await prepare({ root, run });
  expect(ran).toEqual([BUILD, CONSOLE, BUILD, CONSOLE, BUILD, CONSOLE]);
});

test("a changed lockfile is installed again", async () => {
  await prepare({ root, run });
  writeLockfile({ ...PACKAGES, "node_modules/c": { version: "1.0.0" } });
  ran = [];
  await prepare({ root, run });
  expect(ran[0]).toBe(INSTALL);
});

test("who only builds takes nothing away that is installed", async () => {
  await prepare({ root, run });
  writeLockfile({ ...PACKAGES, "node_modules/c": { version: "1.0.0" } });
  ran = [];
  await build({ root, run });
  expect(ran[0]).toBe(BUILD);
  expect(ran).not.toContain(INSTALL);
});

test("what npm installed from this lockfile is used as it is, and what differs is not", async () => {
  mkdirSync(join(root, "node_modules"));
  writeLockfile({ "node_modules/a": { version: "1.0.0" } }, "node_modules/.package-lock.json");
  await prepare({ root, run });
  expect(ran).not.toContain(INSTALL);
  rmSync(join(root, "node_modules/.framerail-lock"));
  writeLockfile({ "node_modules/a": { version: "1.0.1" } }, "node_modules/.package-lock.json");
  await prepare({ root, run });
  expect(ran).toContain(INSTALL);
});

test("a failed install or build is an error for a person, and leaves neither a stamp nor a lock", async () => {
  const fail = async () => ({ code: 1, signal: null });
  await expect(prepare({ root, run: fail })).rejects.toThrow("npm ci failed");
  expect(existsSync(join(root, "node_modules/.framerail-lock"))).toBe(false);
  const failBuild = (program: string, args: readonly string[]) => (program === "npm" ? run(program, args) : fail());
  await expect(prepare({ root, run: failBuild })).rejects.toThrow("build of the packages failed");
  expect(readdirSync(join(root, ".cache"))).toEqual([]);
});

test("a build record without its output does not hold the build back", async () => {
  await prepare({ root, run });
  rmSync(join(root, "packages/protocol/dist"), { recursive: true });
  await prepare({ root, run });
  expect(ran.at(-1)).toBe(`${BUILD} --force`);
});

test("of two commands at once one installs and the other waits", async () => {
  await Promise.all([prepare({ root, run }), prepare({ root, run })]);
  expect(ran).toEqual([INSTALL, `${BUILD} --force`, CONSOLE, BUILD]);
});

/** Starts preparing, gives what ran after a while, then lets `free` remove what it waited for. */
async function ranWhileWaiting(free: () => void): Promise<string[]> {
  const done = prepare({ root, run });
  await sleep(300);
  const early = [...ran];
  free();
  await done;
  expect(ran).toContain(INSTALL);
  return early;
}

test("a dead process's lock that somebody else is taking over is left to them", async () => {
  const path = leaveLock("left");
  const marker = `${path}.left.taken`;
  mkdirSync(marker);
  expect(await ranWhileWaiting(() => rmdirSync(marker))).toEqual([]);
});

test("a lock that changed hands while we looked at it is not taken from its new owner", async () => {
  const path = leaveLock("left");
  // Just as we find the owner dead, another process finishes its take-over.
  vi.spyOn(process, "kill").mockImplementationOnce(() => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, token: "new" }));
    throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  });
  expect(await ranWhileWaiting(() => rmSync(path))).toEqual([]);
});

test("a lock left by a dead process is taken over by one of many at a time", async () => {
  leaveLock("left");
  // Real processes, because the lock is between processes. Each notes when it was inside.
  const program = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { prepare } from ${JSON.stringify(new URL("prepare.mjs", import.meta.url).href)};
    const root = ${JSON.stringify(root)};
    await prepare({ root, run: async (program) => {
      if (program !== "npm") return { code: 0, signal: null };
      appendFileSync(root + "/log", "in\\n");
      await sleep(50);
      appendFileSync(root + "/log", "out\\n");
      return { code: 1, signal: null };
    } }).catch((error) => console.error(error.message));
  `;
  const ends = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
    });
    return new Promise((resolve) => child.once("exit", resolve));
  });
  expect(await Promise.all(ends)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(readFileSync(join(root, "log"), "utf8")).toBe("in\nout\n".repeat(6));
  expect(readdirSync(join(root, ".cache"))).toEqual([]);
});
