// Where raw lines of a backend's process may go: to a sink that somebody asked for, at the place where the process is
// read, and nowhere else. No event carries them [E-14, E-31, C-38]; a consumer who needs them opts in here [E-32].

/** One line as the process wrote it, unparsed, without its line end. It may hold anything, secrets included. */
export interface RawLine {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

export type RawLineSink = (line: RawLine) => void;
