// The thread in which agent files are compiled: the compiler takes seconds, in which the process that starts has other
// things to do. Asked by check-agent-types.ts, once; it answers, and ends.
//   T1. The compiler is the one that the agents' folder finds, as an author's own tools do; or else the one beside us.

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { TypeVerdict } from "./check-agent-types.js";
import type { TypeScript } from "./compiler-settings.js";
import type { AgentSources } from "./judge-types.js";
import { judgeTypes } from "./judge-types.js";

const MAJOR_MIN = 5;

const sources = workerData as AgentSources;
parentPort?.postMessage(judge());

function judge(): TypeVerdict {
  const typescript = loadTypeScript();
  if (typescript === undefined) return { kind: "left_out", reason: "no TypeScript is installed" };
  if (!canBeAsked(typescript)) {
    return { kind: "left_out", reason: `TypeScript ${typescript.version} has no compiler to ask` };
  }
  const problems = judgeTypes(typescript, sources);
  const [first] = problems;
  return first === undefined ? { kind: "sound" } : { kind: "wrong", first, count: problems.length };
}

// T1
function loadTypeScript(): TypeScript | undefined {
  for (const from of [join(sources.folder, "agent.ts"), fileURLToPath(import.meta.url)]) {
    try {
      return createRequire(from)("typescript") as TypeScript;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

function canBeAsked({ versionMajorMinor, createProgram }: Partial<TypeScript>): boolean {
  return typeof createProgram === "function" && Number.parseInt(versionMajorMinor ?? "", 10) >= MAJOR_MIN;
}
