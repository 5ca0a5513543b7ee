// What a log says of an error: its name, its code, its message and its stack, without secrets, and the same of its causes.
// Owns: which parts of an error are read. Does not own: what a secret looks like (mask-secrets.ts).
//   X1. Nothing else of it is read: clients of databases and services hang requests, headers and rows on their errors.
//   X2. Whatever was thrown can be described, a string, undefined, or an object whose fields throw.

import { CAUSES_MAX, FIELD_LENGTH_MAX, MESSAGE_LENGTH_MAX, STACK_LENGTH_MAX } from "./limits.js";
import { maskSecrets } from "./mask-secrets.js";

export interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

export function describeError(error: unknown, causesLeft: number = CAUSES_MAX - 1): ErrorDescription {
  if (typeof error !== "object" || error === null) return { name: typeof error, message: textOf(error) };
  const name = readText(error, "name", FIELD_LENGTH_MAX) ?? "object";
  const code = codeOf(error);
  const stack = readText(error, "stack", STACK_LENGTH_MAX);
  const cause = causesLeft > 0 ? read(error, "cause") : undefined;
  return {
    name,
    ...(code !== undefined && { code }),
    message: readText(error, "message", MESSAGE_LENGTH_MAX) ?? "",
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && { cause: describeError(cause, causesLeft - 1) }),
  };
}

/** The error's own code, to tell kinds of errors apart. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null ? readText(error, "code", FIELD_LENGTH_MAX) : undefined;
}

// Other values say what they are; a string that was thrown is a message.
function textOf(value: unknown): string {
  return typeof value === "string" ? maskSecrets(value, MESSAGE_LENGTH_MAX) : "";
}

function readText(error: object, field: string, lengthMax: number): string | undefined {
  const value = read(error, field);
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? maskSecrets(value, lengthMax) : undefined;
}

function read(error: object, field: string): unknown {
  try {
    return (error as Readonly<Record<string, unknown>>)[field];
  } catch {
    // X2: a field that throws says nothing, and the rest of the error is still worth telling.
    return undefined;
  }
}
