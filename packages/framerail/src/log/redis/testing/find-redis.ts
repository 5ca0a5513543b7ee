// A real Redis server for tests: one on this machine, or one that Debian installs. Never none.

import { findOnPath, installFromDebian } from "../../../testing/debian.js";

const PROGRAM = "redis-server";

/** The path of `redis-server`; throws one line that says what to do. */
export function findRedis(): string {
  if (findOnPath(PROGRAM) === undefined) installFromDebian(PROGRAM, PROGRAM);
  const found = findOnPath(PROGRAM);
  if (found !== undefined) return found;
  throw new Error(
    "No Redis server for the tests: put redis-server on the PATH (FRAMERAIL_TEST_REDIS_URL is for tests that do not stop it).",
  );
}
