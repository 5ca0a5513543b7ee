// The body of an answer, in pieces or whole, and letting go of one.
//   B1. Whoever stops reading, for whatever reason, gives the connection back.

import { FramerailError } from "@framerail/protocol";
import { untilAborted } from "./deadline.js";

export async function* readPieces(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  if (!response.body) {
    // Some phones hand over an answer only when it is whole. Late, but right.
    yield new TextEncoder().encode(await untilAborted(signal, response.text()));
    return;
  }
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // B1
    reader.cancel().catch(() => {
      // It has failed already, which is as good.
    });
  }
}

/** The body as text. Throws INPUT_TOO_LARGE past `bytesMax`. */
export async function readText(response: Response, bytesMax: number, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of readPieces(response, signal)) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new FramerailError("INPUT_TOO_LARGE", "the answer is too large");
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Lets go of a body nobody will read. */
export function leaveBody(response: Response): void {
  response.body?.cancel().catch(() => {
    // It has failed already, which is as good.
  });
}
