// Which documents the compatibility gate compares: those of the same wire version, and no others. A break is allowed
// under a new version; so a bump is a new document with a baseline of its own, while the old ones stay as they are.
//   B1. A baseline is frozen. It may grow by what was added and released, and by nothing else.
//   B2. Every version spoken has a baseline, and every baseline a version: neither can be dropped in silence.

import type { Json } from "../src/schema/schema.js";
import type { Break } from "./compare.js";
import { compareContracts } from "./compare.js";

/** Wire version → frame document. */
export type Documents = ReadonlyMap<string, Json>;

export interface VersionBreak extends Omit<Break, "kind"> {
  readonly version: string;
  readonly kind: Break["kind"] | "version_removed" | "baseline_missing";
}

export function checkCompatibility(baselines: Documents, current: Documents): VersionBreak[] {
  const versions = new Set([...baselines.keys(), ...current.keys()]);
  return [...versions].flatMap((version): VersionBreak[] => {
    const [baseline, document] = [baselines.get(version), current.get(version)];
    const whole = { version, type: "", path: "" };
    if (document === undefined) {
      return [{ ...whole, kind: "version_removed", says: `wire version ${version} is gone; go on speaking it` }];
    }
    if (baseline === undefined) {
      const says = `wire version ${version} has no baseline; commit its frame document as contract/baseline/${version}.json`;
      return [{ ...whole, kind: "baseline_missing", says }];
    }
    return compareContracts(baseline, document).map((found) => ({ version, ...found }));
  });
}
