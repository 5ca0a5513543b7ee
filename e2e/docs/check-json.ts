// The JSON of the pages: every line or document is JSON, and what is said to be a frame or an event is one.

import { isFramerailError, parseJson, readEvent, readFrame, readFrame04 } from "@framerail/protocol";
import type { Finding, Page } from "./page.js";

export function checkJson({ name: page, blocks }: Page): Finding[] {
  return blocks.flatMap((block): Finding[] => {
    if (block.kind !== "json") return [];
    const { lines, line, code } = block;
    if (lines === "any") return judge(page, line, () => void parseJson(code));
    return code
      .split("\n")
      .flatMap((text, index) =>
        judge(page, line + 1 + index, () => (lines === "frames" ? readKnown(text) : readOne(text))),
      );
  });
}

function readKnown(text: string): void {
  const value = parseJson(text) as { readonly version?: unknown };
  const reading = value.version === "0.4" ? readFrame04(value) : readFrame(value);
  if (reading.kind !== "frame") throw new Error("no such frame");
}

function readOne(text: string): void {
  readEvent(parseJson(text), 0);
}

function judge(page: string, line: number, read: () => void): Finding[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!isFramerailError(error) && !(error instanceof Error)) throw error;
    return [{ page, line, says: error.message }];
  }
}
