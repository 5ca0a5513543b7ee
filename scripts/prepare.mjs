// Makes a working tree ready to run: installs when the lockfile asks for it, then builds what changed.
// Owns: when to install, and that one process at a time does. Does not own: which commands exist (bootstrap.mjs).
//   P1. Two commands started together install once: the second waits for the first.
//   P2. A lock whose owner died is taken over, by exactly one of those who wait.
//   P3. What npm already installed from this lockfile is used as it is; nothing is fetched twice.
//   P4. The console is built when its sources, or those it is made of, are not the ones it was built from.

import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
const PACKAGES = ["packages/protocol", "packages/client", "packages/framerail"];
const CONSOLE = "packages/console";
const CONSOLE_SOURCES = [CONSOLE, "packages/client/src", "packages/protocol/src", "package-lock.json"];
const CONSOLE_BUILT = "packages/framerail/dist/console";
const LOCK_POLL_MS = 200;
const LOCK_WAIT_MS_MAX = 10 * 60 * 1000;

/** `run(program, args)` resolves to `{ code, signal }`. Throws an Error whose message is for the person waiting. */
export async function prepare({ root, run }) {
  await alone(root, async () => {
    if (!isInstalled(root)) await install(root, run);
    await buildAll(root, run);
  });
}

/** The build alone, for those who run with what is installed and must not have it taken away. */
export function build({ root, run }) {
  return alone(root, () => buildAll(root, run));
}

async function alone(root, work) {
  const unlock = await lock(join(root, ".cache"));
  try {
    await work();
  } finally {
    unlock();
  }
}

function isInstalled(root) {
  const stamp = readIfThere(stampPath(root));
  if (stamp !== undefined) return stamp.trim() === lockfileDigest(root);
  if (!matchesHiddenLockfile(root)) return false;
  writeStamp(root);
  return true;
}

async function install(root, run) {
  console.log("Installing dependencies…");
  const end = await run("npm", INSTALL);
  if (end.code !== 0) throw new Error("npm ci failed; nothing was run.");
  writeStamp(root);
}

async function buildAll(root, run) {
  await buildPackages(root, run);
  await buildConsole(root, run);
}

async function buildPackages(root, run) {
  // A build record that outlived its output makes tsc believe there is nothing to do.
  const force = PACKAGES.every((path) => existsSync(join(root, path, "dist"))) ? [] : ["--force"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const end = await run(process.execPath, [tsc, "-b", ...PACKAGES, ...force]);
  if (end.code !== 0) throw new Error("The build of the packages failed; nothing was run.");
}

// P4
async function buildConsole(root, run) {
  const stamp = join(root, CONSOLE_BUILT, ".sources");
  const digest = sourcesDigest(root, CONSOLE_SOURCES);
  if (readIfThere(stamp)?.trim() === digest) return;
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const config = join(root, CONSOLE, "vite.config.ts");
  const end = await run(process.execPath, [vite, "build", "--config", config, "--logLevel", "warn"]);
  if (end.code !== 0) throw new Error("The build of the console failed; nothing was run.");
  writeFileSync(stamp, `${digest}\n`);
}

/** Of every file's name and text, in one order on every machine. */
function sourcesDigest(root, paths) {
  const hash = createHash("sha256");
  for (const path of paths)
    for (const file of filesIn(root, path)) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function filesIn(root, path) {
  const entries = readEntries(join(root, path));
  if (entries === undefined) return [path];
  return entries
    .filter(({ name }) => name !== "node_modules")
    .flatMap(({ name }) => filesIn(root, `${path}/${name}`))
    .sort();
}

/** Of a folder; undefined for a file. */
function readEntries(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

// npm writes what it installed into a lockfile of its own. Optional packages are often for another platform.
function matchesHiddenLockfile(root) {
  const hidden = readIfThere(join(root, "node_modules/.package-lock.json"));
  if (hidden === undefined) return false;
  const installed = JSON.parse(hidden).packages;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === "" || optional || installed[path]?.version === version,
  );
}

function lockfileDigest(root) {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

function writeStamp(root) {
  writeFileSync(stampPath(root), `${lockfileDigest(root)}\n`);
}

function stampPath(root) {
  return join(root, "node_modules/.framerail-lock");
}

/** Waits for its turn and returns the function that gives the lock back. */
async function lock(folder) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "prepare.lock");
  const mine = { pid: process.pid, token: randomUUID() };
  const draft = `${path}.${mine.token}`;
  writeFileSync(draft, JSON.stringify(mine));
  try {
    for (let waitedMs = 0; !(tryCreate(draft, path) || tryTakeOver(draft, path)); waitedMs += LOCK_POLL_MS) {
      if (waitedMs === 0) console.log("Waiting for another command that installs or builds…");
      if (waitedMs > LOCK_WAIT_MS_MAX) throw new Error(`Waited too long. If nothing else runs, delete ${path}*.`);
      await sleep(LOCK_POLL_MS);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => rmSync(path, { force: true });
}

// A link appears whole or not at all, so nobody ever reads half a lock.
function tryCreate(draft, path) {
  return succeeds("EEXIST", () => linkSync(draft, path));
}

// The marker is named for the very lock that is left behind: who makes it is the only one who may replace that lock (P2).
function tryTakeOver(draft, path) {
  const left = readIfThere(path);
  if (left === undefined || isAlive(JSON.parse(left).pid)) return false;
  const marker = `${path}.${JSON.parse(left).token}.taken`;
  if (!succeeds("EEXIST", () => mkdirSync(marker))) return false;
  try {
    // Between our look and our marker another may have finished the take-over.
    if (readIfThere(path) !== left) return false;
    renameSync(draft, path);
    return true;
  } finally {
    rmdirSync(marker);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: there, but somebody else's.
    return error.code === "EPERM";
  }
}

function succeeds(expectedCode, act) {
  try {
    act();
    return true;
  } catch (error) {
    if (error.code === expectedCode) return false;
    throw error;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
