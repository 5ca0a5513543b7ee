import { expect, test } from "vitest";
import { runGateway } from "./gateway.js";
import { SERVERS } from "./servers/servers.js";

const TURNS = 3;
const START_MS_MAX = 240_000;

// The bench itself fails where a frame that was pushed does not come.
test("every variant of the gateway bench delivers every frame, at both paces", { timeout: START_MS_MAX }, async () => {
  const rows = await runGateway({
    rounds: { paced: 1, saturated: 1 },
    windowMs: 300,
    warmUpMs: 300,
    turns: [TURNS],
    sides: false,
  });
  expect(rows.map(({ variant, pace }) => `${variant}, ${pace}`)).toEqual(
    ["paced", "saturated"].flatMap((pace) => [...SERVERS.keys()].map((name) => `${name}, ${pace}`)),
  );
  for (const { framesPerSecond, cpuUsPerFrame } of rows) {
    expect(framesPerSecond).toBeGreaterThan(0);
    expect(cpuUsPerFrame).toBeGreaterThan(0);
  }
});
