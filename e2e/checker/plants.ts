// Bugs that are put into a copy of the built program, one at a time, so that the checker can be seen to find each.
// Owns: the bugs and the copy. Does not own: what is played on it (scenarios.ts).
//   P1. A bug is one text of one file that becomes another. It must occur exactly once: a bug that is not there any more
//       proves nothing, and says so.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scenario } from "./scenarios.js";
import {
  cancelTurns,
  killAtEnd,
  killBeforeTerminal,
  killInTheMiddle,
  killWhileAModelSpeaks,
  leaveAndComeBack,
  stopAnOwner,
} from "./scenarios.js";

export interface Plant {
  readonly name: string;
  /** In the built package. */
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
  readonly scenario: Scenario;
  /** The invariant that must be reported; undefined for what is no bug, and only makes a moment long enough to be hit. */
  readonly breaks: string | undefined;
}

export const PLANTS: readonly Plant[] = [
  {
    name: "an owner that was replaced may go on writing",
    file: "log/redis/append-script.js",
    text: "if held_epoch > epoch or (held_epoch == epoch and held[2] ~= owner) then",
    becomes: "if false then",
    scenario: stopAnOwner,
    breaks: "I2",
  },
  {
    name: "the terminal leaves before its commit",
    file: "dispatch/run-turn.js",
    text: "        await commit?.(outcome, this.#turn.terminal);\n        await this.#turn.seal();\n",
    becomes:
      "        await this.#turn.seal();\n        await new Promise((resolve) => setTimeout(resolve, 500));\n" +
      "        await commit?.(outcome, this.#turn.terminal);\n",
    scenario: killAtEnd,
    breaks: "I6",
  },
  {
    name: "the terminal is sent twice",
    file: "gateway/stream/turn-stream.js",
    text: "        output.text(format.closing);\n",
    becomes: "        output.segment(this.#options.view.after(this.#seq - 1));\n        output.text(format.closing);\n",
    scenario: leaveAndComeBack,
    breaks: "I1",
  },
  {
    name: "frames are sent before the log has them",
    file: "log/memory/memory-log.js",
    text: "this.#journal?.write(ready.map(recordOf))",
    becomes: "((records) => void setTimeout(() => this.#journal?.write(records), 500))(ready.map(recordOf))",
    scenario: killInTheMiddle,
    breaks: "I4",
  },
  {
    name: "a reader that comes back gets its last frame again",
    file: "gateway/stream/open-reader.js",
    text: "afterSeq: cursor.seq, readBack",
    becomes: "afterSeq: Math.max(0, cursor.seq - 1), readBack",
    scenario: leaveAndComeBack,
    breaks: "I4",
  },
  {
    name: "a reader that comes back follows from now on, and not from where it was",
    file: "gateway/stream/turn-stream.js",
    text: "        this.#seq = afterSeq;\n",
    becomes: "        this.#seq = view.lastSeq;\n",
    scenario: leaveAndComeBack,
    breaks: "I4",
  },
  {
    name: "a call that is cancelled is not accounted for",
    file: "dispatch/record-turn.js",
    text: "calls: this.calls.rows(),",
    becomes: "calls: this.calls.rows().filter(({ estimated }) => !estimated),",
    scenario: cancelTurns,
    breaks: "I7",
  },
  {
    name: "a call is not noted before it is made",
    file: "store/open-calls.js",
    text: "from ours, jsonb_to_record(",
    becomes: "from (select * from ours where false) as ours, jsonb_to_record(",
    scenario: killWhileAModelSpeaks,
    breaks: "I7",
  },
  {
    name: "a tool that runs at the end is not completed",
    file: "publish/publish-turn.js",
    text: "            this.#tapCloser(draft);\n            this.#append(draft);\n",
    becomes: "            this.#tapCloser(draft);\n",
    scenario: cancelTurns,
    breaks: "I5",
  },
  {
    name: "a cancel does not reach the model",
    file: "agent/model/open-stream.js",
    text: "        request.abort(reason);\n        if (reader !== undefined)\n            cancelQuietly(reader, reason);\n",
    becomes: "",
    scenario: cancelTurns,
    breaks: "I15",
  },
  {
    name: "an end is told late by an owner that dies before",
    file: "dispatch/run-turn.js",
    text: "        await this.#turn.seal();\n",
    becomes: "        await new Promise((resolve) => setTimeout(resolve, 2_000));\n        await this.#turn.seal();\n",
    scenario: killBeforeTerminal,
    breaks: undefined,
  },
];

export interface ProgramCopy {
  readonly bin: string;
  readonly agents: string;
  dispose(): void;
}

const ROOT = join(import.meta.dirname, "../..");

/** A copy of the built program and of the agents, which find it under its own name, with the bug in it. */
export function copyProgram(plant?: Plant): ProgramCopy {
  const folder = mkdtempSync(join(tmpdir(), "framerail-planted-"));
  const program = join(folder, "framerail");
  const source = join(ROOT, "packages/framerail");
  const { files } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as { files: string[] };
  for (const part of [...files, "package.json"]) {
    if (existsSync(join(source, part))) cpSync(join(source, part), join(program, part), { recursive: true });
  }
  for (const part of ["agents", "harness/agents"]) {
    cpSync(join(ROOT, "e2e", part), join(folder, "e2e", part), { recursive: true });
  }
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    const target = name === "framerail" ? program : join(ROOT, "node_modules", name);
    symlinkSync(target, join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  try {
    if (plant !== undefined) insert(plant, join(program, "dist", plant.file));
  } catch (error) {
    dispose();
    throw error;
  }
  return { bin: join(program, "bin/framerail.js"), agents: join(folder, "e2e/harness/agents"), dispose };
}

// P1
function insert({ name, file, text, becomes }: Plant, path: string): void {
  const parts = readFileSync(path, "utf8").split(text);
  if (parts.length !== 2) throw new Error(`${name}: the text is ${parts.length - 1} times in ${file}, not once`);
  writeFileSync(path, parts.join(becomes));
}
