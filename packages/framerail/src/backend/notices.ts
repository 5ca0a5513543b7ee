// What was ignored, told to operators as `log` events, which never reach a client. Bounded per turn.

import type { Writer } from "../agent/writer.js";
import { NOTICES_MAX } from "./limits.js";

/** `what` is a sentence of ours; `name`, when given, is a foreign word and shown only if it can be nothing but one. */
export type Notice = (what: string, name?: unknown) => void;

const PLAIN_NAME = /^[A-Za-z0-9_.:-]{1,64}$/;

export function createNotices(writer: Writer): Notice {
  let told = 0;
  return (what, name) => {
    told += 1;
    if (told > NOTICES_MAX) return;
    const named = typeof name === "string" && PLAIN_NAME.test(name) ? `: ${name}` : "";
    writer.log("warn", told === NOTICES_MAX ? "further notices of this turn are left out" : what + named);
  };
}
