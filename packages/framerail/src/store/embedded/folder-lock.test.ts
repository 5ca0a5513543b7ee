import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endOfChild, startChild } from "../testing/child-process.js";
import { lockFolder } from "./folder-lock.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "framerail-lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const LOCK_PROCESS = new URL("../testing/lock-process.ts", import.meta.url);
const host = process.platform === "linux" ? hostname() : "";
const leave = (lock: object | string, name = "lock") =>
  writeFileSync(join(folder, name), typeof lock === "string" ? lock : JSON.stringify(lock));
/** The number of a process that has ended. */
const endedPid = () => spawnSync(process.execPath, ["-e", ""]).pid;
const isTaken = () => {
  const unlock = lockFolder(folder);
  unlock();
  return true;
};
const refusal = () => {
  try {
    return lockFolder(folder);
  } catch (error) {
    return error;
  }
};

test("a folder is one holder's at a time, and is given back without a trace", () => {
  const nested = join(folder, "made", "here");
  const unlock = lockFolder(nested);
  expect(() => lockFolder(nested)).toThrow(
    `the data folder ${nested} is in use by process ${process.pid}; stop it first`,
  );
  unlock();
  unlock();
  expect(readdirSync(nested)).toEqual([]);
  lockFolder(nested)();
});

test("a lock that its holder gave back late is not taken from the next", () => {
  const unlock = lockFolder(folder);
  rmSync(join(folder, "lock"));
  const next = lockFolder(folder);
  unlock();
  expect(refusal()).toMatchObject({ code: "STORE_LOCKED" });
  next();
});

test("a lock whose process is gone is taken over", () => {
  leave({ pid: endedPid(), started: "1", host, token: "left" });
  expect(isTaken()).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock whose number belongs to another process since is taken over", () => {
  leave({ pid: process.pid, started: "1", host, token: "left" });
  expect(isTaken()).toBe(true);
});

test("a process that has ended, but that nobody asked after, holds nothing", async () => {
  // A shell that became another program does not ask after the child it had before.
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString());
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  leave({ pid, started: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19], host, token: "left" });
  expect(refusal()).toMatchObject({ code: "STORE_LOCKED" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  expect(isTaken()).toBe(true);
  parent.kill();
});

test("a lock from another machine or container is left alone, and the line says what to do", () => {
  leave({ pid: endedPid(), started: "1", host: "elsewhere", token: "left" });
  const lock = join(folder, "lock");
  const { pid } = JSON.parse(readFileSync(lock, "utf8")) as { pid: number };
  expect(refusal()).toMatchObject({
    code: "STORE_LOCKED",
    message: `the data folder ${folder} is in use by process ${pid} on elsewhere; stop it, or remove ${lock} when it is gone`,
  });
});

test.each(["", "\0\0\0\0", '{"pid":12'])("a lock that a power cut tore (%j) is taken over", (torn) => {
  leave(torn);
  expect(isTaken()).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test("a take-over whose own process was killed half way is taken over too", () => {
  leave({ pid: endedPid(), started: "1", host, token: "first" });
  leave({ pid: endedPid(), started: "1", host, token: "second" }, "lock.first.taken");
  expect(isTaken()).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test("a take-over that another process has under way is left to it", () => {
  leave({ pid: endedPid(), started: "1", host, token: "first" });
  leave({ pid: process.ppid, started: "", host, token: "second" }, "lock.first.taken");
  expect(refusal()).toMatchObject({ code: "STORE_LOCKED" });
  expect(readdirSync(folder).sort()).toEqual(["lock", "lock.first.taken"]);
});

test("a folder that cannot be a folder is refused by a line that names it", () => {
  writeFileSync(join(folder, "file"), "");
  const wrong = join(folder, "file", "data");
  expect(() => lockFolder(wrong)).toThrow(`the data folder ${wrong} cannot be written`);
  chmodSync(folder, 0o755);
});

test("of many processes that find a lock left behind exactly one takes it", async () => {
  leave({ pid: endedPid(), started: "1", host, token: "left" });
  const children = Array.from({ length: 6 }, () => startChild(LOCK_PROCESS, [folder, "4000"]));
  const said = await Promise.all(children.map(async (child) => (await endOfChild(child)).out.trim()));
  expect(said.sort()).toEqual([...Array.from({ length: 5 }, () => "STORE_LOCKED"), "taken"]);
  expect(readdirSync(folder)).toEqual([]);
}, 120_000);
