import { systemClock } from "@framerail/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createPolicy } from "../policy/create-policy.js";
import { openRegistry } from "../registry/open-registry.js";
import { EXAMPLE } from "../registry/testing/registry-folder.js";
import { agentOf, keepFrames, play, tick } from "./testing/turn-bench.js";

const numbersOf = (sink: ReturnType<typeof keepFrames>) =>
  sink.frames().flatMap((frame) => (frame.event_type === "text" ? [Number(frame.chunk)] : []));

test("frames leave in the order of the writer, however the log holds it back and whoever writes side by side [W-FR-14] [D-6]", async () => {
  const plan = fc.record({
    writers: fc.array(fc.array(fc.nat(3), { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
    holds: fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ writers, holds }) => {
      const sink = keepFrames();
      let asked = 0;
      sink.ready = async () => {
        const hold = holds[asked++ % holds.length] ?? 0;
        for (let turn = 0; turn < hold; turn += 1) await tick();
      };
      let number = 0;
      const agent = agentOf(async ({ writer }) => {
        const write = async (waits: readonly number[]) => {
          for (const wait of waits) {
            for (let turn = 0; turn < wait; turn += 1) await tick();
            await writer.ready();
            writer.text(String(++number));
          }
        };
        await Promise.all(writers.map(write));
      });
      await play(agent, { sink });
      expect(numbersOf(sink)).toEqual(Array.from({ length: number }, (_, index) => index + 1));
      expect(sink.frames().map(({ seq }) => seq)).toEqual(sink.kept.map((_, index) => index + 1));
    }),
    { numRuns: 60 },
  );
});

test("a write from writer to sink, through the policy of a registry, takes less than a millisecond [W-NFR-2]", async () => {
  const policy = createPolicy({ registry: openRegistry(EXAMPLE), locale: "en", clock: systemClock });
  const took: number[] = [];
  const agent = agentOf(async ({ writer }) => {
    for (let piece = 0; piece < 20_000; piece += 1) {
      const before = performance.now();
      writer.text("some words of an answer ");
      took.push(performance.now() - before);
    }
  });
  const { sink, outcome } = await play(agent, { policy });
  expect(outcome.kind).toBe("completed");
  expect(sink.kept).toHaveLength(20_002);
  took.sort((one, other) => one - other);
  expect(took[Math.floor(took.length * 0.95)]).toBeLessThan(1);
});
