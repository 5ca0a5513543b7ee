// Reads the agents of a folder. A file exports its agent, or a list of agents, by default.
// Owns: what is said of a file that is none. Does not own: which files are agents (find-agent-files.ts), their types
// (check-agent-types.ts), the factory (build-agents.ts).
//   L1. Every file is tried, and one error names all that failed, each with its reason [W-REG-10].
//   L2. A file is loaded into this process, by its own path: it shares the runtime, so that `writer()` finds the turn.
//   L3. A file is a module, whatever package.json it lies under says, or whether there is one (hooks/agent-modules.mjs).
//   L4. It is read in the same way for as long as the process lives: an agent may import files while it runs.

import { existsSync, realpathSync } from "node:fs";
import { register as registerHooks } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { FramerailError } from "@framerail/protocol";
import { register } from "tsx/esm/api";
import type { Agent } from "../agent/agent.js";
import { findAgentFiles } from "./find-agent-files.js";

export const AGENT_FILES_MAX = 200;

/** Stands beside the sources and beside what is built of them. */
const HOOKS = new URL("../../hooks/agent-modules.mjs", import.meta.url);

/** L4. Once, however many folders are loaded. */
let isTranslating = false;

export interface LoadedAgent {
  readonly agent: Agent;
  /** Where it stands, relative to the folder. */
  readonly file: string;
}

/** Throws INVALID_AGENT with a line for each file that cannot be used. */
export async function loadAgents(folder: string): Promise<readonly LoadedAgent[]> {
  const root = realFolder(folder);
  const files = findAgentFiles(root);
  if (files.length === 0) {
    throw invalid(`no agent in ${folder}: put a file there that exports one by default, such as assistant.ts`);
  }
  if (files.length > AGENT_FILES_MAX) {
    throw invalid(`${folder} has ${files.length} agent files; at most ${AGENT_FILES_MAX} are loaded`);
  }
  const loaded: LoadedAgent[] = [];
  const problems: string[] = [];
  if (!isTranslating) register();
  isTranslating = true;
  registerHooks(HOOKS, { data: { root: pathToFileURL(join(root, "/")).href } });
  for (const path of files) {
    const file = relative(root, path);
    try {
      const agents = await loadFile(path);
      for (const agent of agents) loaded.push({ agent, file });
    } catch (error) {
      problems.push(`${file}: ${describe(error, root)}`);
    }
  }
  problems.push(...findDoubles(loaded));
  if (problems.length > 0) throw invalid(`agents cannot be loaded from ${folder}:\n  ${problems.join("\n  ")}`);
  return loaded;
}

/** Node knows modules by their real paths; a folder may be a link, as that of the newest release often is. */
function realFolder(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) ? realpathSync(path) : path;
}

async function loadFile(path: string): Promise<readonly Agent[]> {
  const { default: exported } = (await import(pathToFileURL(path).href)) as { default?: unknown };
  if (exported === undefined) {
    throw invalid("it exports nothing by default; export the agent, or move the file into a folder of its own");
  }
  const agents: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  return agents.map((agent) => {
    if (!isAgent(agent)) throw invalid("its default export is not an agent; make one with defineAgent(…)");
    return agent;
  });
}

function isAgent(value: unknown): value is Agent {
  const { manifest, run } = (value ?? {}) as Partial<Agent>;
  return typeof manifest?.id === "string" && Array.isArray(manifest.emitters) && typeof run === "function";
}

function findDoubles(loaded: readonly LoadedAgent[]): string[] {
  const first = new Map<string, string>();
  return loaded.flatMap(({ agent, file }) => {
    const { id } = agent.manifest;
    const other = first.get(id);
    if (other === undefined) first.set(id, file);
    return other === undefined ? [] : [`${file}: agent "${id}" is already in ${other}`];
  });
}

/** The author reads this: what went wrong and at which line, without the stack and the path that the loader adds. */
function describe(error: unknown, root: string): string {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(join(root, "/"), "");
  const [first = "it failed to load", second = ""] = text.split("\n").filter((line) => line.trim() !== "");
  return first.endsWith(":") ? `${first} ${second.trim()}` : first;
}

function invalid(says: string): FramerailError {
  return new FramerailError("INVALID_AGENT", says);
}
