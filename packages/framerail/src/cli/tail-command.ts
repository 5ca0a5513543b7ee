// `framerail tail TURN`: a turn's frames, one line each, as they come.
// Owns: options and output. Does not own: the lines (terminal/frame-line.ts), the way to the server (@framerail/client).
//   L1. Following changes nothing: Ctrl-C leaves, and the turn runs on [G5].

import type { Turn } from "@framerail/client";
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { Device } from "./terminal/device.js";
import { EXIT_INTERRUPTED, openProcessDevice } from "./terminal/device.js";
import { explainRefusal } from "./terminal/explain-refusal.js";
import { describeFrame, encodeFrameLine } from "./terminal/frame-line.js";
import { FRAME_LINE_COLUMNS } from "./terminal/limits.js";
import { readFrames } from "./terminal/read-frames.js";
import { createScreen } from "./terminal/screen.js";
import type { ServerOptions } from "./terminal/server-options.js";
import { addServerOption, connectServer } from "./terminal/server-options.js";
import type { Terminal } from "./terminal.js";

interface TailOptions extends ServerOptions {
  readonly after?: string;
  readonly json?: true;
}

const EXAMPLE_TURN = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";

export function addTailCommand(program: Command, terminal: Terminal, openDevice: () => Device = openProcessDevice) {
  addServerOption(program.command("tail"))
    .description("follow a turn's frames, from its first or after a cursor")
    .argument("<turn>", "the turn's id")
    .option("--after <cursor>", "the id of a frame, or its number: what comes after it", readCursor)
    .option("--json", "print every frame as a line of JSON")
    .addHelpText("after", `\nExample:\n  framerail tail ${EXAMPLE_TURN} --after 12\n`)
    .action(async (turnId: string, { after, json, ...options }: TailOptions) => {
      const device = openDevice();
      const screen = createScreen(terminal, device);
      const server = connectServer(options, screen);
      const turn = server.client.turn(turnId, { signal: device.closed, ...(after !== undefined && { after }) });
      // L1
      const release = device.onInterrupt(() => {
        turn.detach();
        screen.line("left; the turn runs on");
        device.quit(EXIT_INTERRUPTED);
      });
      try {
        await printFrames(turn, { terminal, device, json: json === true });
      } catch (error) {
        throw explainRefusal(error, { kind: "turn", turnId }, server);
      } finally {
        release();
      }
    });
}

interface PrintOptions {
  readonly terminal: Terminal;
  readonly device: Device;
  readonly json: boolean;
}

async function printFrames(turn: Turn, { terminal, device, json }: PrintOptions): Promise<void> {
  const columns = () => (device.isShared ? device.columns() - 1 : FRAME_LINE_COLUMNS);
  let since: number | undefined;
  for await (const frame of readFrames(turn, () => undefined)) {
    since ??= Date.parse(frame.timestamp);
    terminal.out(json ? encodeFrameLine(frame, device) : describeFrame(frame, since, columns()));
    await device.drained();
  }
}

function readCursor(text: string): string {
  if (/^(?:[0-9a-f-]{36}\.\d{1,10}\.)?\d{1,10}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the id of a frame, or its number.");
}
