// One line of the gateway bench's report, and of its JSON.

import type { Pace } from "./pacer.js";

export interface GatewayRow {
  readonly variant: string;
  readonly pace: Pace;
  readonly turns: number;
  readonly cpuUsPerFrame: number;
  readonly framesPerSecond: number;
  readonly ratioToFloor: number;
  /** Of the reader's process: it must not be what is measured. */
  readonly readerCpuUsPerFrame: number;
}
