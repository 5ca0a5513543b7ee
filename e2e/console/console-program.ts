// `framerail dev` as people start it, with the agents of these tests and the demo's status vocabulary.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyEmbeddedTemplate } from "../../packages/framerail/src/store/testing/open-store.js";
import type { Program } from "../harness/program.js";
import { startProgram } from "../harness/program.js";

const ROOT = join(import.meta.dirname, "../..");
/** Twice as fast as written: slow enough to see every status, fast enough to wait for. */
const SPEED = "2";

export interface ConsoleProgram {
  readonly url: string;
  /** SIGKILL, and gone. */
  kill(): Promise<void>;
  /** On the same port and data. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

export async function startConsoleProgram(): Promise<ConsoleProgram> {
  if (!existsSync(join(ROOT, "packages/framerail/dist/console/index.html"))) {
    throw new Error("The console is not built: run `npm run build`.");
  }
  const data = copyEmbeddedTemplate();
  const start = (port: number): Promise<Program> =>
    startProgram({
      args: [
        ...["dev", "--data", data, "--port", String(port)],
        ...["--agents", "e2e/console/agents", "--registry", "packages/framerail/demo/registry"],
      ],
      env: { FRAMERAIL_SCRIPT_SPEED: SPEED, OPENAI_API_KEY: "" },
    });
  let program = await start(0);
  const { url, port } = program;
  return {
    url,
    kill: () => program.kill(),
    async startAgain() {
      program = await start(port);
    },
    async close() {
      await program.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
