// The types of agents on the command line: the option to leave them out, and what a person is told of a mistake.
// Owns: the words. Does not own: the check (worker/check-agent-types.ts), when it must have passed (start-server.ts).

import { isAbsolute, relative } from "node:path";
import { FramerailError, unreachable } from "@framerail/protocol";
import { Option } from "commander";
import type { TypeVerdict } from "../worker/check-agent-types.js";
import { checkAgentTypes } from "../worker/check-agent-types.js";
import { toOneLine } from "./terminal/strip-controls.js";

export interface TypeCheckOptions {
  readonly typeCheck: boolean;
}

export function typeCheckOption(): Option {
  return new Option("--no-type-check", "do not check the types of the agents");
}

export interface BegunTypeCheck {
  /** Gives what operators should know, once there is a verdict. Throws INVALID_AGENT where types are wrong. */
  pass(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Begins at once; `isWanted` false: there is nothing to begin, and it passes. */
export function beginTypeCheck(folder: string, isWanted: boolean): BegunTypeCheck {
  if (!isWanted) return { pass: () => Promise.resolve(undefined), stop: () => Promise.resolve() };
  const { verdict, stop } = checkAgentTypes(folder);
  return { pass: async () => explainVerdict(await verdict, process.cwd()), stop };
}

/** `cwd`: what a path is shortened by. */
export function explainVerdict(verdict: TypeVerdict, cwd: string): string | undefined {
  switch (verdict.kind) {
    case "sound":
      return undefined;
    case "left_out":
      return `the types of the agents were not checked: ${verdict.reason}`;
    case "wrong": {
      const { first, count } = verdict;
      const more = count > 1 ? `, and ${count - 1} more` : "";
      const where = `${placeOf(first.file, cwd)}:${first.line}:${first.column}`;
      const says = `${where}: ${first.message} (TS${first.code})${more}. Correct it, or start with --no-type-check`;
      throw new FramerailError("INVALID_AGENT", toOneLine(says));
    }
    default:
      return unreachable(verdict);
  }
}

function placeOf(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") || isAbsolute(path) ? file : path;
}
