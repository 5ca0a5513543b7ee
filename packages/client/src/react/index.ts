// The second door: hooks for React 18 and 19.

export type { UsedSession } from "./use-session.js";
export { useSession } from "./use-session.js";
export { useTurn } from "./use-turn.js";
