// The messages of the pipeline routes, one per NDJSON line, each as {"type":"<t>","<t>":{…}} [L-15].
// Owns: their shapes, reading one and writing one. Does not own: their order (routes.ts, lifecycle/), lines (codec/),
// or the payload of the last one (eof.ts).
//   M1. What is written has passed the strict check, so a partial eof cannot leave [L-51].
//   M2. Only defined fields are written; a field we do not know is read and left alone, but does not travel on.
//   M3. A failure that ends the stream is an eof. `error` is an ordinary message and is never final [C-2, L-17].

import { FramerailError, refuse } from "../error.js";
import { NAME_LENGTH_MAX } from "../limits.js";
import { compileCheck } from "../schema/check.js";
import type { Infer, Schema } from "../schema/schema.js";
import { absent, array, choice, json, literal, map, object, oneOf, optional, string } from "../schema/schema.js";
import { compileWrite } from "../schema/write.js";
import type { EofPayload } from "./eof.js";
import { boundMessage, derivedProgressSchema, eofSchema, messageRule, progressCounts } from "./eof.js";

const streamName = string({ lengthMin: 1, lengthMax: NAME_LENGTH_MAX, says: "A stream of the catalog." });
const sentence = string({ says: "One sentence for a person, written by the product, never a raw exception or line." });

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const logSchema = object(
  { level: oneOf(LOG_LEVELS), message: sentence },
  { rule: messageRule, says: "A line for people who watch. No program may depend on it." },
);

const connectionStatusSchema = object(
  { status: oneOf(["succeeded", "failed"]), message: optional(sentence) },
  { rule: messageRule, says: "Whether source and destination could be reached with their configuration." },
);

const catalogSchema = object(
  {
    streams: array(
      object({
        name: streamName,
        json_schema: optional(map(json(), { says: "JSON Schema of the data of one record." })),
        primary_key: optional(
          array(string({ lengthMin: 1 }), { countMin: 1, says: "Fields that together name a record." }),
        ),
        metadata: optional(map(json(), { says: "What else the source wants to say about the stream." })),
      }),
    ),
  },
  { says: "The streams that a source offers." },
);

const recordSchema = object(
  {
    stream: streamName,
    data: map(json()),
    emitted_at: optional(
      string({
        pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
        says: "When the source gave it, UTC with milliseconds.",
      }),
    ),
  },
  { says: "One record of one stream." },
);

const sourceStateSchema = choice(
  "state_type",
  {
    stream: object({ state_type: literal("stream"), stream: streamName, data: json() }),
    global: object({ state_type: literal("global"), stream: absent(), data: json() }),
  },
  { says: "Where the source would go on. Everything sent before it counts as delivered once it is saved." },
);

export const STREAM_STATUSES = ["start", "running", "complete", "incomplete", "error"] as const;

const streamStatusSchema = object(
  {
    stream: streamName,
    status: oneOf(STREAM_STATUSES, {
      says:
        "start: work on the stream begins. running: it goes on. complete: all of it was delivered. incomplete: it " +
        "stopped early and can go on later. error: it failed, while other streams go on.",
    }),
  },
  { says: "The life of one stream within the pipeline." },
);

const progressSchema = object(
  { derived: derivedProgressSchema, ...progressCounts },
  { says: "How far this request has come." },
);

const controlSchema = object(
  { control_type: oneOf(["source_config", "destination_config"]), data: map(json()) },
  {
    says: "A connector asks to replace its stored configuration by `data`, for example after a token was renewed.",
  },
);

const errorSchema = object(
  {
    code: string({
      pattern: /^[A-Za-z][A-Za-z0-9_]*$/,
      lengthMax: NAME_LENGTH_MAX,
      says: "A code of the error catalogue.",
    }),
    is_final: literal(false),
    message: optional(sentence),
  },
  { rule: messageRule, says: "Something failed and the stream goes on. What ends a stream is in its eof." },
);

function message<const T extends string, P>(type: T, payload: Schema<P>) {
  const schema: Schema = object({ type: literal(type), [type]: payload });
  return schema as Schema<{ readonly type: T } & { readonly [K in T]: P }>;
}

export const pipelineMessageSchema = choice("type", {
  log: message("log", logSchema),
  connection_status: message("connection_status", connectionStatusSchema),
  catalog: message("catalog", catalogSchema),
  record: message("record", recordSchema),
  source_state: message("source_state", sourceStateSchema),
  stream_status: message("stream_status", streamStatusSchema),
  progress: message("progress", progressSchema),
  control: message("control", controlSchema),
  error: message("error", errorSchema),
  eof: message("eof", eofSchema),
});
export type PipelineMessage = Infer<typeof pipelineMessageSchema>;
export type PipelineMessageType = PipelineMessage["type"];

/** A log line whose text is made to fit [C-17]. */
export function logMessage(level: LogLevel, text: string): PipelineMessage {
  return readPipelineMessage({ type: "log", log: { level, message: boundMessage(text) } }, { mode: "strict" });
}

export interface ReadPipelineMessageOptions {
  /** `strict`: what we write. `lenient`: also an eof without a reason, from a peer older than the reason [L-47]. */
  readonly mode: "strict" | "lenient";
}

const check = compileCheck(pipelineMessageSchema);
const write = compileWrite(pipelineMessageSchema);

/** The value as a message; a value that is none is refused with INVALID_MESSAGE, which names the field and the rule. */
export function readPipelineMessage(value: unknown, options: ReadPipelineMessageOptions): PipelineMessage {
  const mode: unknown = options?.mode;
  if (mode !== "strict" && mode !== "lenient")
    throw new FramerailError("INVALID_ARGUMENT", "mode must be strict or lenient");
  let read = value;
  let issue = check(read);
  if (mode === "lenient" && issue?.path === "eof.reason" && issue.rule === "required") {
    // The check came as far as the reason, so this is an eof message, and both objects are plain.
    const { eof } = value as { readonly eof: EofPayload };
    read = { type: "eof", eof: { ...eof, reason: inferReason(eof) } };
    issue = check(read);
  }
  if (issue) throw refuse("INVALID_MESSAGE", "not a pipeline message", issue);
  return read as PipelineMessage;
}

// Which bound was reached cannot be known. Both mean the same to a reader: a pause, go on from ending_state.
function inferReason(eof: EofPayload): EofPayload["reason"] {
  if (eof.error !== undefined) return "error";
  return eof.has_more ? "state_limit" : "complete";
}

/** One message as compact JSON on one line, without the line's end. */
export function writePipelineMessage(message: PipelineMessage): string {
  const issue = check(message);
  if (issue) throw refuse("INVALID_MESSAGE", "the message cannot be written", issue);
  return write(message);
}
