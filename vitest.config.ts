// Where the tests are, and how they find the packages: by their sources, so that no test runs against a stale build.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@framerail\/protocol\/schema$/, replacement: source("packages/protocol/src/schema/index.ts") },
      { find: /^framerail\/agent$/, replacement: source("packages/framerail/src/index.ts") },
      { find: /^@framerail\/protocol$/, replacement: source("packages/protocol/src/index.ts") },
    ],
  },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/contract/**/*.test.ts",
      "tidy/**/*.test.ts",
      "bench/**/*.test.ts",
      "examples/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    setupFiles: ["tidy/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
