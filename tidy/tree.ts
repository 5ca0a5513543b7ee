// The files of the repository as one value, so that every rule about the code is a function of a map and can be shown
// to bite on a planted one.
// Owns: which files the rules see. Does not own: any rule.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Path from the repository's root, with `/`, to the file's text. */
export type Tree = ReadonlyMap<string, string>;

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const LEFT_OUT = new Set(["node_modules", "dist", ".git", ".cache", ".framerail", "coverage", "fixtures"]);

/** Everything a person wrote or a generator committed; not what is installed or built. */
export function readTree(root: string = ROOT): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || path.endsWith(".tsbuildinfo")) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) tree.set(path, readFileSync(join(root, path), "utf8"));
    }
  };
  visit("");
  return tree;
}

export function isCode(path: string): boolean {
  return /\.(?:[cm]?[jt]s|[jt]sx)$/.test(path);
}

export function isTest(path: string): boolean {
  return /\.(?:test|long)\.tsx?$/.test(path);
}

/** Code that only tests run: the tests, and what they share in a `testing` folder. */
export function isTestCode(path: string): boolean {
  return isTest(path) || path.includes("/testing/");
}
