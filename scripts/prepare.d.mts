// The types of prepare.mjs, which itself runs before there is a compiler.

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface PrepareOptions {
  /** The repository's root. */
  readonly root: string;
  run(program: string, args: readonly string[]): Promise<ProgramEnd>;
}

export function prepare(options: PrepareOptions): Promise<void>;

export function build(options: PrepareOptions): Promise<void>;
