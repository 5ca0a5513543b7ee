// All planted bugs.

import { ACCOUNT_PLANTS } from "./account-plants.js";
import { AGENT_PLANTS } from "./agent-plants.js";
import { BACKEND_PLANTS } from "./backend-plants.js";
import { EDGE_PLANTS } from "./edge-plants.js";
import { FAULT_PLANTS } from "./fault-plants.js";
import type { Plant } from "./plants.js";
import { PLANTS } from "./plants.js";
import { POLICY_PLANTS } from "./policy-plants.js";
import { REGISTRY_PLANTS } from "./registry-plants.js";
import { STORE_PLANTS } from "./store-plants.js";
import { TERMINAL_PLANTS } from "./terminal-plants.js";
import { TEXT_PLANTS } from "./text-plants.js";
import { TYPE_PLANTS } from "./type-plants.js";

export const ALL_PLANTS: readonly Plant[] = [
  ...PLANTS,
  ...REGISTRY_PLANTS,
  ...POLICY_PLANTS,
  ...BACKEND_PLANTS,
  ...AGENT_PLANTS,
  ...STORE_PLANTS,
  ...ACCOUNT_PLANTS,
  ...TEXT_PLANTS,
  ...TERMINAL_PLANTS,
  ...TYPE_PLANTS,
  ...FAULT_PLANTS,
  ...EDGE_PLANTS,
];

/** Where a plant's file and test stand, from the repository's root. */
export const sourceOf = ({ package: name = "protocol" }: Plant) => `packages/${name}/src`;
