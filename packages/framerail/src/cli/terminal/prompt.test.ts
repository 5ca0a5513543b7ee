import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { LINES_WAITING_MAX } from "./limits.js";
import { openPrompt } from "./prompt.js";

function setUp() {
  const input = new PassThrough();
  const promptOutput = new PassThrough();
  return {
    input,
    promptOutput,
    prompt: openPrompt({ input, promptOutput, isLively: false, isShared: false }, () => undefined),
  };
}

test("lines that came before they were asked for wait in order, and the end comes after them", async () => {
  const { input, promptOutput, prompt } = setUp();
  input.end("one\ntwo\r\n\nlast");
  const lines: (string | undefined)[] = [];
  for (let count = 0; count < 6; count += 1) lines.push(await prompt.next());
  expect(lines).toEqual(["one", "two", "", "last", undefined, undefined]);
  expect(promptOutput.read()).toBeNull();
});

test("a line can be waited for, and closing ends the wait", async () => {
  const { input, prompt } = setUp();
  const first = prompt.next();
  input.write("late\n");
  expect(await first).toBe("late");
  const second = prompt.next();
  prompt.close();
  expect(await second).toBeUndefined();
});

test("a pipe that is faster than the turns is held back [G8]", async () => {
  const { input, prompt } = setUp();
  const total = LINES_WAITING_MAX * 200;
  let written = 0;
  const fill = () => {
    while (written < total) {
      written += 1;
      if (!input.write(`line ${written}\n`)) {
        input.once("drain", fill);
        return;
      }
    }
    input.end();
  };
  const first = prompt.next();
  fill();
  expect(await first).toBe("line 1");
  for (let before = 0; before < written; ) {
    before = written;
    for (let tick = 0; tick < 100; tick += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(written).toBeLessThan(total);
  let line = "";
  let count = 1;
  for (let next = await prompt.next(); next !== undefined; next = await prompt.next()) {
    line = next;
    count += 1;
  }
  expect([line, count]).toEqual([`line ${total}`, total]);
});
