import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SCRIPT_BYTES_MAX, SCRIPT_STEPS_MAX } from "./limits.js";
import { loadScript, readScript } from "./read-script.js";

const SCRIPT = "model: demo\nsteps:\n  - text: Hello\n";

test("a file is read from disk into a script", async () => {
  const folder = await mkdtemp(join(tmpdir(), "framerail-script-"));
  try {
    const path = join(folder, "demo.yaml");
    await writeFile(path, SCRIPT);
    expect(await loadScript(path)).toMatchObject({ model: "demo", steps: [{ text: "Hello" }] });
    await writeFile(path, `# ${"x".repeat(SCRIPT_BYTES_MAX)}\n${SCRIPT}`);
    await expect(loadScript(path)).rejects.toThrow(`must have at most ${SCRIPT_BYTES_MAX} bytes`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["an unknown field of a step", "steps:\n  - text: a\n    txt: b", 3, "steps.0.txt is not a field of this type"],
  ["an unknown field at the top", "steps:\n  - text: a\nspeed: 3", 3, "speed is not a field of this type"],
  [
    "an unknown condition",
    "steps:\n  - when:\n      message: a\n    text: a",
    3,
    "steps.0.when.message is not a field",
  ],
  ["a field of the wrong type", "steps:\n  - text: a\n  - text: 7", 3, "steps.1.text must be a string"],
  ["a tool without a name", "steps:\n  - text: a\n    tool_calls:\n      - arguments: {}", 4, "name is required"],
  ["a pace of zero", "\ntokens_per_second: 0\nsteps: [{ text: a }]", 2, "must be at least 1"],
  ["a step that says nothing", "steps:\n  - text: a\n  - call: 2", 3, "needs reasoning, text"],
  ["a step that fails and hangs", "steps:\n  - fail: { status: 500 }\n    hang: true", 3, "not both"],
  ["no steps at all", "model: a", 1, "steps is required"],
  ["nothing in it", "", 1, "must be an object"],
  ["broken YAML", "steps:\n  - text: [a\n", 3, "is not YAML"],
  ["an alias that leads nowhere", "steps: *nobody", 1, ""],
  ["too many steps", `steps:\n${"  - text: a\n".repeat(SCRIPT_STEPS_MAX + 1)}`, 1, "steps must have at most"],
])("a script with %s is refused with its line", (_, yaml, line, says) => {
  let error: unknown;
  try {
    readScript(yaml, "demo.yaml");
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "INVALID_AGENT" });
  expect((error as Error).message).toContain(`demo.yaml:${line}: `);
  expect((error as Error).message).toContain(says);
});
