// Finds in what a terminal command wrote what a test asks about.

const [ERASE, DIM, UNDIM] = ["\x1b[2K", "\x1b[2m", "\x1b[22m"];

export function turnIdIn(said: string): string {
  return /turn ([0-9a-f-]{36})/.exec(said)?.[1] ?? "";
}

/** What was drawn to be replaced. Behind a line that stays there is a line feed. */
export function statusLinesIn(written: string): string[] {
  return written
    .split(`\r${ERASE}`)
    .filter((part) => part.startsWith(DIM) && part.endsWith(UNDIM))
    .map((part) => part.slice(DIM.length, -UNDIM.length));
}
