// What a process holds while it is watched: sockets and memory, as the system counts them. Linux tells; elsewhere nothing
// is recorded.

import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessRecord } from "../checker/history.js";

export interface ProcessLimits {
  /** Connections to services, which a process keeps for the next turn. */
  readonly socketsKeptMax: number;
  readonly rssBytesAllowed: number;
}

const WATCH_MS = 250;
/** A caller's idle connection lives 4 s in Node's fetch; what is open after this is kept by the process itself. */
const IDLE_MS_MAX = 15_000;

/** Watches from now on; the returned function ends it and tells, when connections that nobody uses had time to close. */
export function watchProcess(pid: number, limits: ProcessLimits): () => Promise<ProcessRecord[]> {
  if (!existsSync(`/proc/${pid}/fd`)) return () => Promise.resolve([]);
  const socketsBefore = countSockets(pid);
  let rssBytesMax = 0;
  const timer = setInterval(() => {
    rssBytesMax = Math.max(rssBytesMax, readRssBytes(pid));
  }, WATCH_MS);
  return async () => {
    const deadline = performance.now() + IDLE_MS_MAX;
    let socketsAfter = countSockets(pid);
    while (socketsAfter > socketsBefore + limits.socketsKeptMax && performance.now() < deadline) {
      await sleep(WATCH_MS);
      socketsAfter = countSockets(pid);
    }
    clearInterval(timer);
    return [{ ...limits, socketsBefore, socketsAfter, rssBytesMax }];
  };
}

function countSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith("socket:");
    } catch {
      // Closed between the two looks.
      return false;
    }
  }).length;
}

function readRssBytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}
