// Which tools of a turn are running. Every `tool_call` gets its `tool_completed` before the terminal [W-AC-9, I-23].
//   T1. An id opens once per turn and closes once; a closed id does not open again.
//   T2. At most OPEN_TOOLS_MAX are open at a time.

import { OPEN_TOOLS_MAX } from "../limits.js";

export interface ToolRef {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

export interface ToolPairs {
  /** False when the id was used before in this turn, or too many are open. */
  open(tool: ToolRef): boolean;
  /** False when no such call is open, or its name or type differ from the start. */
  close(tool: ToolRef): boolean;
  /** The calls still running, in the order they began. */
  running(): ToolRef[];
}

export function createToolPairs(openMax: number = OPEN_TOOLS_MAX): ToolPairs {
  // A call that has ended stays as null, so that its id is known (T1).
  const calls = new Map<string, ToolRef | null>();
  let openCount = 0;
  return {
    open(tool) {
      if (openCount >= openMax || calls.has(tool.id)) return false;
      calls.set(tool.id, tool);
      openCount += 1;
      return true;
    },
    close(tool) {
      const start = calls.get(tool.id);
      if (!start || start.name !== tool.name || start.type !== tool.type) return false;
      calls.set(tool.id, null);
      openCount -= 1;
      return true;
    },
    running: () => (openCount === 0 ? [] : [...calls.values()].filter((call) => call !== null)),
  };
}
