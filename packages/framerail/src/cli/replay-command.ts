// `framerail replay TURN`: a turn once more, as it was seen, in the time it took.
// Owns: options and output. Does not own: the waits (terminal/pace-frames.ts), what it looks like (terminal/turn-view.ts).
//   R1. A turn that still runs is played from its start and followed to its end; Ctrl-C leaves it alone [G5].
//   R2. Of a turn whose frames are no longer kept the stored answer is shown.

import type { Turn } from "@framerail/client";
import { isFramerailError, systemClock } from "@framerail/protocol";
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { steadyMs } from "../clock.js";
import type { Device } from "./terminal/device.js";
import { EXIT_INTERRUPTED, openProcessDevice } from "./terminal/device.js";
import { explainRefusal } from "./terminal/explain-refusal.js";
import { REPLAY_GAP_MS_MAX, REPLAY_SPEED_MAX } from "./terminal/limits.js";
import { paceFrames } from "./terminal/pace-frames.js";
import type { Screen } from "./terminal/screen.js";
import { createScreen } from "./terminal/screen.js";
import type { ServerOptions } from "./terminal/server-options.js";
import { addServerOption, connectServer } from "./terminal/server-options.js";
import { showTurn } from "./terminal/show-turn.js";
import type { Terminal } from "./terminal.js";

interface ReplayOptions extends ServerOptions {
  readonly speed: number;
  readonly json?: true;
}

const EXAMPLE_TURN = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
const SPEED_SAYS = `how many times as fast; 0 or max for at once; no pause is longer than ${REPLAY_GAP_MS_MAX / 1000} s`;

export function addReplayCommand(program: Command, terminal: Terminal, openDevice: () => Device = openProcessDevice) {
  addServerOption(program.command("replay"))
    .description("play a turn again, in its own time")
    .argument("<turn>", "the turn's id")
    .option("--speed <n>", SPEED_SAYS, readSpeed, 1)
    .option("--json", "print every frame as a line of JSON, in its own time")
    .addHelpText("after", `\nExample:\n  framerail replay ${EXAMPLE_TURN} --speed 4\n`)
    .action(async (turnId: string, { speed, json, ...options }: ReplayOptions) => {
      const device = openDevice();
      const screen = createScreen(terminal, device);
      const server = connectServer(options, screen);
      const turn = server.client.turn(turnId, { signal: device.closed });
      const pacing = { speed, clock: systemClock, nowMs: steadyMs, signal: device.closed };
      // R1
      const release = device.onInterrupt(() => {
        turn.detach();
        screen.endText();
        device.quit(EXIT_INTERRUPTED);
      });
      try {
        const pace = (frames: Parameters<typeof paceFrames>[0]) => paceFrames(frames, pacing);
        await showTurn(turn, { terminal, device, screen, json: json === true, pace });
      } catch (error) {
        if (json || !(await showStored(turn, screen, error))) {
          throw explainRefusal(error, { kind: "turn", turnId }, server);
        }
      } finally {
        release();
      }
    });
}

// R2
async function showStored(turn: Turn, screen: Screen, error: unknown): Promise<boolean> {
  const isTooLate = isFramerailError(error) && error.code === "CURSOR_EXPIRED" && turn.state.outcome !== undefined;
  if (!isTooLate) return false;
  screen.line("its frames are no longer kept; this is the answer as it is stored");
  screen.text(await turn.text);
  screen.endText();
  return true;
}

function readSpeed(text: string): number {
  if (text === "max" || text === "0") return Number.POSITIVE_INFINITY;
  const speed = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (speed > 0 && speed <= REPLAY_SPEED_MAX) return speed;
  throw new InvalidArgumentError(`It must be a number up to ${REPLAY_SPEED_MAX}, or max.`);
}
