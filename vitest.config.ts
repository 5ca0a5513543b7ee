// Where the tests are, and how they find the packages: by their sources, so that no test runs against a stale build.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const SERVICES = ["packages/framerail/src/store/testing/services.ts"];
const ON_PROGRAM = ["e2e/harness/built.ts", ...SERVICES];

/** Tests that need a database; what they need is started once, and only when one of them runs. */
const ON_SERVICES = ["store/**/*", "history/**/*", "ledger/**/*", "**/*-db"].map(
  (place) => `packages/framerail/src/${place}.test.ts`,
);

const e2e = (...names: string[]) => names.map((name) => `e2e/${name}.test.ts`);
/** Whole processes that are loaded, or waited for. Two files at a time: what they time leaves out what a neighbour takes. */
const LOADED = e2e("aborts", "connections", "kills-embedded", "kills-services", "load", "proxies", "strangers");
/** Judged by a clock: one file after the other, when nothing else runs. */
const TIMED = e2e("checker/planted", "kills-cluster");

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@framerail\/protocol\/schema$/, replacement: source("packages/protocol/src/schema/index.ts") },
      { find: /^@framerail\/client\/react$/, replacement: source("packages/client/src/react/index.ts") },
      { find: /^@framerail\/client$/, replacement: source("packages/client/src/index.ts") },
      { find: /^framerail\/agent$/, replacement: source("packages/framerail/src/index.ts") },
      { find: /^@framerail\/protocol$/, replacement: source("packages/protocol/src/index.ts") },
    ],
  },
  test: {
    setupFiles: ["tidy/fixed-seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    maxConcurrency: 3,
    // Files of the first two share their workers: loading the sources anew for each took a fifth of the whole.
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          isolate: false,
          include: [
            "packages/*/src/**/*.test.ts",
            "packages/*/contract/**/*.test.ts",
            "tidy/**/*.test.ts",
            "bench/**/*.test.ts",
            "examples/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ON_SERVICES,
        },
      },
      {
        extends: true,
        test: {
          name: "services",
          isolate: false,
          include: ON_SERVICES,
          globalSetup: SERVICES,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          exclude: [...LOADED, ...TIMED],
          globalSetup: ON_PROGRAM,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "loaded",
          include: LOADED,
          globalSetup: ON_PROGRAM,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "timed",
          include: TIMED,
          globalSetup: ON_PROGRAM,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
