// Which processor a process of the bench runs on: the server has one to itself, and whoever reads, stores or measures has the
// others. Left to the system, a reader comes and goes on the server's processor as the scheduler likes, a different number of
// times for each variant; that decides what a write costs more than any server does, and no user's reader is there at all.

import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const SERVERS = "0";
const OTHERS = `1-${availableParallelism() - 1}`;

/** This process, and whatever it starts from now on, leaves the servers' processor. False where that cannot be. */
export function leaveServersProcessor(): boolean {
  return availableParallelism() > 1 && bind(process.pid, OTHERS);
}

/** Gives a server's process the processor that is kept for it. */
export function giveServersProcessor(pid: number): void {
  if (!bind(pid, SERVERS)) throw new Error(`process ${pid} cannot be bound to a processor`);
}

function bind(pid: number, processors: string): boolean {
  return spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(pid)]).status === 0;
}
