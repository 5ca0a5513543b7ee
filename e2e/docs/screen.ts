// The commands of a page that are shown on a terminal, each block on one of its own. Its output is what is left on the
// screen when the block has ended.
//   S1. In a block, `<turn>` and the like are what an output above it showed: that is how a reader takes them over.

import { join } from "node:path";
import { startTmux } from "../harness/tmux.js";
import { fillPlaceholders, matchOutput } from "./match-output.js";
import type { Finding, Page } from "./page.js";

/** Room for every line of what the pages show: nothing is cut, and nothing scrolls away. */
const COLUMNS = 160;
const ROWS = 200;

/** `cwd`: where a reader of the page is; in the project, where nothing else is said. */
export async function runScreens(page: Page, folder: string, cwd = folder): Promise<Finding[]> {
  const findings: Finding[] = [];
  const bound = new Map<string, string>();
  for (const [index, { kind, line, code }] of page.blocks.entries()) {
    if (kind !== "screen") continue;
    // S1
    const command = fillPlaceholders(code, bound);
    if (command === undefined) {
      findings.push({ page: page.name, line, says: "the block names what no output above it shows" });
      continue;
    }
    const { shown, end } = await runOnScreen(command, { cwd, bin: join(folder, "node_modules/.bin") });
    if (end !== 0) findings.push({ page: page.name, line, says: `the block failed (${end}):\n${shown}` });
    const next = page.blocks[index + 1];
    const says = next?.kind === "output" ? matchOutput(next.code, shown, bound) : undefined;
    if (next !== undefined && says !== undefined) findings.push({ page: page.name, line: next.line, says });
  }
  return findings;
}

async function runOnScreen(command: string, { cwd, bin }: { readonly cwd: string; readonly bin: string }) {
  await using terminal = await startTmux({
    command: ["bash", "-euc", `cd '${cwd}'\n${command}`],
    // npm tells of itself on the screen where there is something to tell.
    env: { PATH: `${bin}:${process.env.PATH}`, npm_config_loglevel: "error", npm_config_update_notifier: "false" },
    columns: COLUMNS,
    rows: ROWS,
  });
  const end = await terminal.ended();
  // The first line is the key by which the terminal was started.
  const [, ...lines] = await terminal.screen();
  return { shown: lines.join("\n"), end };
}
