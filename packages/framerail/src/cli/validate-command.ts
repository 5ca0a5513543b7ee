// `framerail validate FILE`: is a recorded stream whole and in order?
// Owns: the file, arguments and output. Does not own: the judgement (validate-stream.ts).

import { readFileSync, statSync } from "node:fs";
import type { PipelineRoute } from "@framerail/protocol";
import { FramerailError, PIPELINE_ROUTES } from "@framerail/protocol";
import type { Command } from "commander";
import { Option } from "commander";
import type { Terminal } from "./terminal.js";
import { validateStream } from "./validate-stream.js";

const FILE_BYTES_MAX = 268_435_456;

export function addValidateCommand(program: Command, terminal: Terminal): void {
  program
    .command("validate")
    .description("check a recorded stream: order, pairs, one end")
    .argument("<file>", "what a client received: server-sent events, or lines of JSON")
    .addOption(
      new Option("--route <route>", "what kind of stream it is").choices(["turn", ...PIPELINE_ROUTES]).default("turn"),
    )
    .option("--json", "print {ok, messages, findings} as JSON")
    .addHelpText("after", "\nExample:\n  curl -N … > turn.sse; framerail validate turn.sse --route turn\n")
    .action((file: string, { route, json }: { route: "turn" | PipelineRoute; json?: true }) => {
      const { messages, findings } = validateStream(readRecording(file), route);
      const ok = findings.length === 0;
      if (json) terminal.out(`${JSON.stringify({ ok, messages, findings })}\n`);
      else if (ok) terminal.out(`ok: ${messages} messages\n`);
      else for (const { message, says } of findings) terminal.out(`message ${message}: ${says}\n`);
      if (!ok) terminal.fail();
    });
}

function readRecording(file: string): Uint8Array {
  try {
    if (statSync(file).size > FILE_BYTES_MAX) {
      throw new FramerailError("INPUT_TOO_LARGE", `${file} is larger than ${FILE_BYTES_MAX} bytes`);
    }
    return readFileSync(file);
  } catch (cause) {
    if (cause instanceof FramerailError) throw cause;
    throw new FramerailError("INVALID_ARGUMENT", `${file} cannot be read`, { cause });
  }
}
