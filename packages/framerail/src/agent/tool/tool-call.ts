// One call as the model made it, and its three events.
// Owns: reading the arguments, the record of a call. Does not own: running it.
//   L1. `tool_call` is written before anything runs, then `tool_result`, then `tool_call_end`: each exactly once, with
//       the same id, name and type [W-FR-15, P-7, P-8].
//   L2. Arguments and results stand in these events and nowhere on the wire [C-15].

import type { Clock, Json } from "@framerail/protocol";
import { parseJson, truncateMessage } from "@framerail/protocol";
import type { Writer } from "../writer.js";
import { checkJson, copyValue, countJsonBytes } from "./json-value.js";
import { ARGUMENTS_BYTES_MAX, BROKEN_ARGUMENTS_BYTES_MAX } from "./limits.js";
import type { ToolOutcome } from "./tool-outcome.js";

/** The id must be unique within its turn. */
export type ToolCall = { readonly id: string } & (
  | { readonly argumentsText: string; readonly arguments?: undefined }
  | { readonly arguments: Json; readonly argumentsText?: undefined }
);

export type ArgumentsReading =
  | { readonly ok: true; readonly value: Json }
  /** `kept` is what history gets. */
  | { readonly ok: false; readonly kept: Json; readonly message: string };

const NOT_JSON = "must be JSON";
const TOO_LONG = `must have at most ${ARGUMENTS_BYTES_MAX} bytes`;

export function readArguments(call: ToolCall): ArgumentsReading {
  const { argumentsText: text } = call;
  // Nothing is what several providers send for a tool without arguments.
  if (text?.trim() === "") return { ok: true, value: {} };
  const kept = text === undefined ? null : truncateMessage(text, BROKEN_ARGUMENTS_BYTES_MAX);
  if (text !== undefined && Buffer.byteLength(text) > ARGUMENTS_BYTES_MAX)
    return { ok: false, kept, message: TOO_LONG };
  try {
    const value = copyValue(text === undefined ? call.arguments : parseJson(text)) as Json;
    if (checkJson(value) !== undefined) return { ok: false, kept, message: NOT_JSON };
    if (countJsonBytes(value) > ARGUMENTS_BYTES_MAX) return { ok: false, kept, message: TOO_LONG };
    return { ok: true, value };
  } catch {
    // Bad syntax, a cycle, too deep: for the model it is all one, and the text itself may be a secret.
    return { ok: false, kept, message: NOT_JSON };
  }
}

export interface CallRecord {
  close(outcome: ToolOutcome): ToolOutcome;
}

export interface CallRecordOptions {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly callId: string;
  readonly name: string;
  readonly type: string;
  readonly reading: ArgumentsReading;
}

/** Writes the intent at once; `close` writes the rest and hands the outcome back. */
export function openRecord({ writer, clock, callId, name, type, reading }: CallRecordOptions): CallRecord {
  const startedAt = clock.now();
  const tool = { tool_call_id: callId, tool_name: name, tool_type: type };
  writer.toolCall({ ...tool, arguments: reading.ok ? reading.value : reading.kept, timestamp: startedAt });
  return {
    close(outcome) {
      // The clock may have been set back.
      const duration_ms = Math.max(0, clock.now() - startedAt);
      writer.toolResult({ tool_call_id: callId, result: outcome.result, is_error: outcome.isError, duration_ms });
      writer.toolCallEnd(outcome.discarded ? { ...tool, status: "cancelled" } : tool);
      return outcome;
    },
  };
}
