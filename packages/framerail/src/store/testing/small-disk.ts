// A disk that is soon full: a small one in memory where we may mount it, else a limit on the size of files, which the
// database meets in the same places.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly folder: string;
  /** Whatever writes on it is started by this command. */
  readonly prefix: readonly string[];
  /** Makes room. What was started with the prefix must be started again without it. */
  grow(): void;
  dispose(): void;
}

/** A page less than a segment of the database's log: it is met when the log needs its next one. */
const FILE_BYTES_MAX = 16_777_216 - 8_192;

export function createSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "framerail-disk-"));
  // The server is another user of this machine.
  chmodSync(folder, 0o777);
  const isMounted = run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder);
  const limit = ["prlimit", `--fsize=${FILE_BYTES_MAX}`, "sh", "-c", 'trap "" XFSZ; exec "$@"', "sh"];
  return {
    folder,
    prefix: isMounted ? [] : limit,
    grow() {
      if (isMounted) run("mount", "-o", `remount,size=${megabytes * 5}m`, folder);
    },
    dispose() {
      if (isMounted) run("umount", "--lazy", folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function run(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}
