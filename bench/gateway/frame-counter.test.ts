import { expect, test } from "vitest";
import { stampedChunk } from "./chunk.js";
import { FrameCounter } from "./frame-counter.js";

const BYTES = Buffer.from(
  `1f\r\nevent: text\ndata: {}\n\n\r\n4\r\n: ok\n\n\r\n4\r\ndata:\n\n\r\n4\r\n:\n\n\r\ndata: "${stampedChunk()}"\n\n`,
);

test("frames and stamps are counted the same however their bytes are cut, and comments are not", () => {
  for (let first = 0; first <= BYTES.length; first += 1) {
    for (let second = first; second <= BYTES.length; second += 1) {
      const counter = new FrameCounter();
      const latencies: number[] = [];
      let frames = 0;
      for (const part of [BYTES.subarray(0, first), BYTES.subarray(first, second), BYTES.subarray(second)]) {
        frames += counter.count(part, part.length);
        counter.readStamps(part, part.length, latencies);
      }
      expect(frames).toBe(3);
      expect(latencies).toHaveLength(1);
      expect(latencies[0]).toBeGreaterThanOrEqual(0);
    }
  }
});
