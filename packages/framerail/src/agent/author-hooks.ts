// Hooks of an author that answer at once. TypeScript takes an async function for most of them, and a rejection that nobody
// hears ends the whole process, with every turn in it.
//   H1. Whatever comes of a hook, its rejection is heard here.
//   H2. A promise in the place of a value is no value: who asked for it fails, and says so.

import { FramerailError } from "@framerail/protocol";

/** Calls a hook for whose answer nobody waits. Never throws: who listens for failures may fail itself, and there is nobody left to tell. */
export function callHook(hook: () => unknown): void {
  try {
    hearRejection(hook());
  } catch {
    // See above.
  }
}

/** The value itself; throws for a promise of one. */
export function requireValue<T>(value: T, what: string): T {
  if (!hearRejection(value)) return value;
  throw new FramerailError("INVALID_AGENT", `${what} gave a promise, and must answer at once`);
}

/** Whether it is a promise; if so, what becomes of it is of no matter (H1). */
export function hearRejection(value: unknown): boolean {
  if (typeof (value as { readonly then?: unknown } | null | undefined)?.then !== "function") return false;
  Promise.resolve(value).catch(() => undefined);
  return true;
}
