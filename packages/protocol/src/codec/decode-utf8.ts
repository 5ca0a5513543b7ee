// Bytes to text as a WHATWG decoder would, one line or value at a time. That is the same as decoding the whole stream:
// the bytes at which lines and fields are cut are ASCII, and an ASCII byte ends every unfinished sequence before it.

// Made when it is needed: some phones have no TextDecoder until the application has installed one, after its imports.
let utf8: TextDecoder | undefined;

/** Up to here a loop is faster than the call into the decoder (measured on V8: about 140 ns per call). */
const LOOP_LENGTH_MAX = 8;

export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > LOOP_LENGTH_MAX) return decodeAny(bytes, start, end);
  let text = "";
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] as number;
    if (byte >= 0x80) return decodeAny(bytes, start, end);
    text += String.fromCharCode(byte);
  }
  return text;
}

function decodeAny(bytes: Uint8Array, start: number, end: number): string {
  // A BOM inside the stream is text; only the line splitter may drop one, at the start.
  utf8 ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return utf8.decode(bytes.subarray(start, end));
}
