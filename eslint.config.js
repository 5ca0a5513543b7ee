// The lint pass that needs types, and the bans that need reasons. Everything else, formatting included, is Biome's.
//   X1. Time and chance are arguments: what runs inside a turn reads no global clock and rolls no dice, so that every
//       rule about them can be tested without waiting. `clock.ts` and `end-of-tick.ts` are where a package meets the
//       real ones.
//   X2. A package says nothing on the console: what a caller must know is a value, an error or a metric.

import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const TYPED = [
  "packages/*/{src,contract,bench}/**/*.{ts,tsx}",
  "{tidy,bench,examples,e2e,conformance,simulation}/**/*.ts",
  "scripts/*.ts",
];
const TESTS = ["**/*.test.{ts,tsx}", "**/*.long.ts", "**/testing/**"];
const USE_A_CLOCK = "Take a Clock (clock.ts) as an argument: time and chance are never globals in a package.";

const TIMERS = ["setTimeout", "setInterval", "setImmediate"];
const READINGS = [
  ["Date", "now"],
  ["performance", "now"],
  ["Math", "random"],
  ["crypto", "randomUUID"],
  ["crypto", "getRandomValues"],
];

export default defineConfig(
  globalIgnores(["**/dist", "**/coverage", "**/.cache", "**/fixtures", "packages/protocol/schemas"]),
  {
    files: TYPED,
    plugins: { "@typescript-eslint": tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      // One program for sources and tests alike; a package's own tsconfig leaves its tests out.
      parserOptions: { project: "./tsconfig.check.json", tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ["packages/{protocol,client,framerail}/src/**/*.ts"],
    ignores: [...TESTS, "packages/*/src/clock.ts", "packages/framerail/src/end-of-tick.ts"],
    rules: {
      "no-restricted-globals": ["error", ...TIMERS.map((name) => ({ name, message: USE_A_CLOCK }))],
      "no-restricted-properties": [
        "error",
        ...READINGS.map(([object, property]) => ({ object, property, message: USE_A_CLOCK })),
        ...TIMERS.map((property) => ({ object: "globalThis", property, message: USE_A_CLOCK })),
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: USE_A_CLOCK },
        { selector: "CallExpression[callee.name='Date']", message: USE_A_CLOCK },
        { selector: "ImportDeclaration[source.value=/^(node:)?timers/]", message: USE_A_CLOCK },
        {
          selector:
            "MemberExpression[object.object.name='globalThis'][object.property.name=/^(Date|Math|crypto|performance)$/]" +
            "[property.name=/^(now|random|randomUUID|getRandomValues)$/]",
          message: USE_A_CLOCK,
        },
      ],
    },
  },
  {
    files: ["packages/*/src/**/*.{ts,tsx}"],
    ignores: TESTS,
    rules: { "no-console": "error" },
  },
);
