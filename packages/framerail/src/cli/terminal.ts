// What a command may do to the world around it: say something, complain, and fail.
// Owns: the port and the exit codes. Does not own: the process (main.ts).

/** It went well. */
export const EXIT_OK = 0;
/** The command was understood, and its answer is no. */
export const EXIT_FAILED = 1;
/** The command was not understood. */
export const EXIT_USAGE = 2;

export interface Terminal {
  /** The result, for people and pipes. */
  out(text: string): void;
  /** Everything else. */
  err(text: string): void;
  /** Makes the program end with EXIT_FAILED, once the command is done. */
  fail(): void;
  hasFailed(): boolean;
}

export function createTerminal({ out, err }: { out(text: string): void; err(text: string): void }): Terminal {
  let failed = false;
  return {
    out,
    err,
    fail() {
      failed = true;
    },
    hasFailed: () => failed,
  };
}

/** Rows in columns, each as wide as its widest cell; nothing after the last. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
