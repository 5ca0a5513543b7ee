// The log of a process: one line of JSON for each thing an operator must know.
// Owns: the shape of a line, its levels, and what becomes of a line that cannot be written. Does not own: which fields there are
// (log-fields.ts), what is read of an error (describe-error.ts), where lines go (given).
//   J1. A line has a sentence of ours, fields of the list and an error's description; all of it masked. There is no way
//       to hand it anything else.
//   J2. Writing a line never throws at who writes it: a full disk must not end a turn. A line that is lost is counted.
//   J3. Warnings and errors that repeat are limited (repeat-limit.ts). Two are the same when the sentence and the code are.

import type { Clock } from "@framerail/protocol";
import { formatTimestamp } from "@framerail/protocol";
import { pino } from "pino";
import { codeOf, describeError } from "./describe-error.js";
import { MESSAGE_LENGTH_MAX } from "./limits.js";
import type { LogFields } from "./log-fields.js";
import { readFields } from "./log-fields.js";
import { maskSecrets } from "./mask-secrets.js";
import { createRepeatLimit } from "./repeat-limit.js";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Takes one line, with its line feed. */
  readonly destination: { write(line: string): void };
  readonly level?: LogLevel;
  readonly clock: Clock;
  /** A line could not be written. */
  onLost?(): void;
}

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** `error`: what was thrown, whole; the line tells what may be told of it. */
  warn(message: string, fields?: LogFields, error?: unknown): void;
  error(message: string, fields?: LogFields, error?: unknown): void;
  /** Tells what was suppressed so far; to be called before the process ends. */
  close(): void;
}

interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
  readonly error?: unknown;
}

export function createLogger({ destination, level = "info", clock, onLost }: LoggerOptions): Logger {
  const lines = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${formatTimestamp(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const repeats = createRepeatLimit(clock);
  const write = ({ level, message, fields, error }: Line, suppressed?: number) => {
    try {
      const told = { ...readFields(fields), ...(error !== undefined && { error: describeError(error) }) };
      lines[level]({ ...told, ...(suppressed && { suppressed }) }, maskSecrets(message, MESSAGE_LENGTH_MAX));
    } catch {
      // J2: there is no other place to tell it; the count is.
      onLost?.();
    }
  };
  const writeLimited = (line: Line) => {
    if (!lines.isLevelEnabled(line.level)) return;
    const { level, message, fields, error } = line;
    const saying = `${level} ${fields.code ?? codeOf(error) ?? ""} ${message.slice(0, MESSAGE_LENGTH_MAX)}`;
    // J3: the last of them stands for all. Its error is not kept, for it may hold a whole request.
    const tell = (suppressed: number) => write({ level, message, fields }, suppressed);
    if (repeats.admit(saying, tell)) write(line);
  };
  const writeFree = (line: Line) => {
    if (lines.isLevelEnabled(line.level)) write(line);
  };
  return {
    debug: (message, fields = {}) => writeFree({ level: "debug", message, fields }),
    info: (message, fields = {}) => writeFree({ level: "info", message, fields }),
    warn: (message, fields = {}, error) => writeLimited({ level: "warn", message, fields, error }),
    error: (message, fields = {}, error) => writeLimited({ level: "error", message, fields, error }),
    close: () => repeats.close(),
  };
}
