// The tests here start the program as it is built. Whoever runs one of them alone has perhaps not built since the last change,
// and would be told how the program was; so what has changed is built first.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "../../scripts/prepare.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export function setup(): Promise<void> {
  return build({
    root: ROOT,
    run(program, args) {
      const { status: code, signal } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
      return Promise.resolve({ code, signal });
    },
  });
}
