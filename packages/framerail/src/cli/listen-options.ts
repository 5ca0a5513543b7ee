// Where a server listens: reading its port from a command line, and what is said when it cannot be had.

import { FramerailError } from "@framerail/protocol";
import { InvalidArgumentError } from "commander";

/** Where nothing is said. */
export const PORT = 4180;
const PORT_MAX = 65_535;

export function readPort(text: string): number {
  // As good as not set.
  if (text === "") return PORT;
  const port = readNumber(text);
  if (port > PORT_MAX) throw new InvalidArgumentError("a port is a number from 0 to 65535");
  return port;
}

export function readNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("it must be a whole number");
  return Number(text);
}

/** What the system says when an address is taken, for people. */
export function explainListenError(error: unknown, port: number): unknown {
  const code = (error as { readonly code?: unknown }).code;
  if (code === "EADDRINUSE") {
    return new FramerailError("INVALID_ARGUMENT", `port ${port} is in use; choose another with --port`, {
      cause: error,
    });
  }
  if (code === "EACCES") {
    return new FramerailError("INVALID_ARGUMENT", `port ${port} may not be used; choose one above 1023 with --port`);
  }
  return error;
}
