// The registry as a program starts with it: whole and without errors, or not at all [W-REG-2, W-FR-11].

import { FramerailError } from "@framerail/protocol";
import { checkRegistry } from "./check-registry.js";
import type { LoadOptions } from "./load-registry.js";
import { loadRegistry } from "./load-registry.js";
import { onOneLine } from "./problem.js";
import type { Registry } from "./registry.js";

/** Loads and checks; throws INVALID_REGISTRY with every error and its place. Warnings are for `framerail registry check`. */
export function openRegistry(dir: string, options: LoadOptions = {}): Registry {
  const loaded = loadRegistry(dir, options);
  const { errors } = checkRegistry(loaded);
  if (errors.length === 0) return loaded.registry;
  const list = errors.map(({ file, line, message, id }) =>
    onOneLine(`${file}:${line} ${id === null ? "" : `${id}: `}${message}`),
  );
  throw new FramerailError("INVALID_REGISTRY", `the status registry has errors:\n  ${list.join("\n  ")}`);
}
