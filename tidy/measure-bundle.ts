// How many bytes an application downloads for what it imports from the packages, minified and compressed.
// Run `npx tsx tidy/measure-bundle.ts` to write today's numbers to bundle-size.json; commit them with the change that
// moved them, so that a review sees the cost.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ROOT } from "./tree.js";

const DOOR = "./packages/protocol/src/index.ts";
const CLIENT = "./packages/client/src/index.ts";
const REACT = "./packages/client/src/react/index.ts";
const NUMBERS = join(ROOT, "tidy/bundle-size.json");

const DECODE_PATH = [
  "createSseDecoder",
  "createNdjsonDecoder",
  "parseJson",
  "readFrame",
  "createMessageAccumulator",
  "FramerailError",
  "isFramerailError",
];

/** What is measured, each as the program an application would write. */
const ENTRIES = {
  "decode path": `export { ${DECODE_PATH.join(", ")} } from "${DOOR}";`,
  "whole package": `export * from "${DOOR}";`,
  /** With everything of the protocol that it uses. */
  client: `export * from "${CLIENT}";`,
  /** The client with its hooks; React itself is the application's. */
  "client with react": `export * from "${CLIENT}"; export * from "${REACT}";`,
};

export type Sizes = Record<keyof typeof ENTRIES, number>;

export async function measureBundles(): Promise<Sizes> {
  return {
    "decode path": await measure(ENTRIES["decode path"]),
    "whole package": await measure(ENTRIES["whole package"]),
    client: await measure(ENTRIES.client),
    "client with react": await measure(ENTRIES["client with react"]),
  };
}

async function measure(program: string): Promise<number> {
  const result = await build({
    stdin: { contents: program, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    minify: true,
    treeShaking: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    alias: { "@framerail/protocol": join(ROOT, DOOR) },
    external: ["react"],
    write: false,
    logLevel: "silent",
  });
  return gzipSync(result.outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

export function readCommittedSizes(): Sizes {
  return JSON.parse(readFileSync(NUMBERS, "utf8")) as Sizes;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sizes = await measureBundles();
  writeFileSync(NUMBERS, `${JSON.stringify(sizes, null, 2)}\n`);
  console.log(sizes);
}
