// Where the client meets real time and chance; everywhere else both are arguments.

export { systemClock } from "@framerail/protocol";

/** From 0 up to 1. For jitter only, never for anything that must not be guessed. */
export function systemRandom(): number {
  return Math.random();
}

/** A name for one send. A page that is not served securely has no `randomUUID`, and neither have some phones. */
export function systemNewId(): string {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> };
  if (crypto?.randomUUID !== undefined) return crypto.randomUUID();
  const bytes = crypto?.getRandomValues?.(new Uint8Array(16)) ?? Array.from({ length: 16 }, () => systemRandom() * 256);
  return Array.from(bytes, (byte) => Math.floor(byte).toString(16).padStart(2, "0")).join("");
}
