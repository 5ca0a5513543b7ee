// The five slicing dimensions of every `stream.*` metric [W-MET-11].
// Owns: which values they may have. Does not own: the metrics, who says what a turn's values are.
//   D1. A value is on the list it was given, "none" where there is none, and "other" in every other case. So a label
//       cannot become the id of a session, a user, a connection or a tenant, whatever is passed [C-32].

import { DIMENSION_VALUES_MAX, LABEL_LENGTH_MAX } from "./limits.js";

export const DIMENSIONS = [
  "vertical",
  "sub_agent_id",
  "dm_type",
  "experiment_arm",
  "agent_definition_version",
] as const;

export type Dimension = (typeof DIMENSIONS)[number];
/** What somebody says of a turn. `sub_agent_id` is who writes: a top-level agent writes under its own id. */
export type Dimensions = { readonly [D in Dimension]?: string | undefined };
/** The values that are told apart; those past the maximum are not. */
export type DimensionValues = { readonly [D in Dimension]?: readonly string[] };
/** What a series is labelled with. */
export type DimensionLabels = Readonly<Record<Dimension, string>>;

export const NONE = "none";
export const OTHER = "other";

export function createDimensionFilter(values: DimensionValues): (given: Dimensions) => DimensionLabels {
  const lists = new Map(
    DIMENSIONS.map((name) => [name, new Set(boundValues(values[name] ?? [], DIMENSION_VALUES_MAX))]),
  );
  const read = (name: Dimension, value: string | undefined) => {
    if (value === undefined || value === "") return NONE;
    return lists.get(name)?.has(value) ? value : OTHER;
  };
  return (given) => ({
    vertical: read("vertical", given.vertical),
    sub_agent_id: read("sub_agent_id", given.sub_agent_id),
    dm_type: read("dm_type", given.dm_type),
    experiment_arm: read("experiment_arm", given.experiment_arm),
    agent_definition_version: read("agent_definition_version", given.agent_definition_version),
  });
}

/** The first `max` different values that can be a label. */
export function boundValues(values: readonly string[], max: number): string[] {
  const fit = values.filter((value) => value !== "" && value !== OTHER && value.length <= LABEL_LENGTH_MAX);
  return [...new Set(fit)].slice(0, max);
}
