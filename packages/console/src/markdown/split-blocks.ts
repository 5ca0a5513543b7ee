// Cuts markdown into its top-level blocks, so that while an answer streams only its last block is read again.
//   S1. Joined by line breaks, the pieces are the text but for empty lines between them.
//   S2. A piece never changes once another one stands after it.

/** The marks of one line of code are none of a block. */
const FENCE = /^ {0,3}(`{3,}|~{3,}(?!~))[^`]*$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?: |$)/;

export function splitBlocks(text: string): string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let fence: string | undefined;
  const close = () => {
    while (piece.at(-1)?.trim() === "") piece.pop();
    if (piece.length > 0) pieces.push(piece.join("\n"));
    piece = [];
  };
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      piece.push(line);
      if (mark?.startsWith(fence) && line.trim() === mark) {
        fence = undefined;
        close();
      }
    } else if (line.trim() === "") {
      // A list goes on over empty lines; what it is that goes on, the next line says.
      if (isList(piece)) piece.push("");
      else close();
    } else {
      if (isList(piece) && piece.at(-1) === "" && !continuesList(line)) close();
      const isNested = isList(piece) && /^ {2,}/.test(line);
      if (mark !== undefined && !isNested) {
        close();
        fence = mark;
      }
      piece.push(line);
    }
  }
  close();
  return pieces;
}

function isList(piece: readonly string[]): boolean {
  return ITEM.test(piece[0] ?? "");
}

function continuesList(line: string): boolean {
  return ITEM.test(line) || /^ {2,}\S/.test(line);
}
