// How Node reads agent files: as modules, whatever the nearest package.json says of `type`. An author's folder may have none,
// and an agent file has `import`, `export default` and often a top-level `await`.
// Plain JavaScript, because Node runs it in a thread of its own, before anything that could translate it.

let root = "";

export function initialize(data) {
  root = data.root;
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return isAgentFile(found.url) ? { ...found, format: "module" } : found;
}

export function load(url, context, next) {
  return next(url, isAgentFile(url) ? { ...context, format: "module" } : context);
}

function isAgentFile(url) {
  return url.startsWith(root) && /\.ts(?:\?|$)/.test(url) && !url.includes("/node_modules/");
}
