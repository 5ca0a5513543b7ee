import { afterEach, expect, test, vi } from "vitest";

afterEach(() => void vi.unstubAllGlobals());

test("a platform that gets its TextDecoder after the import decodes with it", async () => {
  const { TextDecoder } = globalThis;
  vi.resetModules();
  vi.stubGlobal("TextDecoder", undefined);
  const { decodeUtf8 } = await import("./decode-utf8.js");
  const bytes = new TextEncoder().encode("\ufeffKöln, and more");
  expect(decodeUtf8(bytes, 10, 13)).toBe("and");
  vi.stubGlobal("TextDecoder", TextDecoder);
  expect(decodeUtf8(bytes, 0, bytes.length)).toBe("\ufeffKöln, and more");
});
