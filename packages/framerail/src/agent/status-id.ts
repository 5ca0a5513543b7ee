// The status ids an author may write. `framerail registry types` generates a file that adds them to StatusRegistry, and
// from then on an unknown id does not compile [W-FR-3a]. Without that file any string of the right shape is taken, and
// the registry judges it when the agent is built.

// biome-ignore lint/suspicious/noEmptyInterface: generated code adds its members by declaration merging.
export interface StatusRegistry {}

export type StatusId = keyof StatusRegistry extends never ? string : keyof StatusRegistry & string;
