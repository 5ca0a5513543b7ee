// How Node reads agent files: as modules, whatever the nearest package.json says of `type`. An author's folder may have none,
// and an agent file has `import`, `export default` and often a top-level `await`. JavaScript that is CommonJS, as what
// an agent imports may be, stays what it is.
// Plain JavaScript, because Node runs it in a thread of its own, before anything that could translate it.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";

const TYPESCRIPT = /\.ts(?:\?|$)/;
const COMMON_JS_NAMES = ["exports", "require", "module", "__filename", "__dirname"];

let root = "";

export function initialize(data) {
  root = data.root;
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return (await isModule(found)) ? { ...found, format: "module" } : found;
}

export function load(url, context, next) {
  return next(url, isAuthors(url) && TYPESCRIPT.test(url) ? { ...context, format: "module" } : context);
}

async function isModule({ url, format }) {
  if (!isAuthors(url)) return false;
  return TYPESCRIPT.test(url) || (format === "commonjs" && /\.js(?:\?|$)/.test(url) && !(await isCommonJs(url)));
}

function isAuthors(url) {
  return url.startsWith(root) && !url.includes("/node_modules/");
}

async function isCommonJs(url) {
  const source = await readFile(fileURLToPath(url), "utf8");
  try {
    compileFunction(source, COMMON_JS_NAMES);
    return true;
  } catch {
    // Module syntax; or a mistake, of which whoever loads it tells the line.
    return false;
  }
}
