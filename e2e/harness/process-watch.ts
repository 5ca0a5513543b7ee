// What a process holds while it is watched: sockets and memory, as the system counts them. Linux tells; elsewhere nothing
// is recorded.

import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { ProcessRecord } from "../checker/history.js";

export interface ProcessLimits {
  /** Connections to services, which a process keeps for the next turn. */
  readonly socketsKeptMax: number;
  readonly rssBytesAllowed: number;
}

const WATCH_MS = 250;

/** Watches from now on; the returned function ends it and tells. */
export function watchProcess(pid: number, limits: ProcessLimits): () => ProcessRecord[] {
  if (!existsSync(`/proc/${pid}/fd`)) return () => [];
  const socketsBefore = countSockets(pid);
  let rssBytesMax = 0;
  const timer = setInterval(() => {
    rssBytesMax = Math.max(rssBytesMax, readRssBytes(pid));
  }, WATCH_MS);
  return () => {
    clearInterval(timer);
    return [{ ...limits, socketsBefore, socketsAfter: countSockets(pid), rssBytesMax }];
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
