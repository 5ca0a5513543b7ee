// Every variant by its name, the floor first. Modules are loaded when their variant is started: a process has one server,
// and what another library does to a process must not be in its figures.

import type { StartServer } from "../server.js";

const later =
  (load: () => Promise<StartServer>): StartServer =>
  async (pacer, services) =>
    (await load())(pacer, services);

export const FLOOR = "node:http floor";
export const MEMORY = "framerail memory";
export const JOURNAL = "framerail + journal";
export const REDIS = "framerail Redis + Postgres";
export const UI_STREAM = "AI SDK UI stream";
export const STREAM_TEXT = "AI SDK streamText";

export const SERVERS: ReadonlyMap<string, StartServer> = new Map([
  [FLOOR, later(async () => (await import("./plain.js")).startFloor)],
  ["only writes", later(async () => (await import("./least.js")).startWrites)],
  ["only encodes", later(async () => (await import("./least.js")).startEncodes)],
  ["node:http stringify", later(async () => (await import("./plain.js")).startStringify)],
  [MEMORY, later(async () => (await import("./ours.js")).startMemory)],
  [JOURNAL, later(async () => (await import("./ours.js")).startJournal)],
  [REDIS, later(async () => (await import("./ours.js")).startRedis)],
  ["AG-UI encoder", later(async () => (await import("./ag-ui.js")).startAgUi)],
  [UI_STREAM, later(async () => (await import("./ai-sdk.js")).startUiStream)],
  [STREAM_TEXT, later(async () => (await import("./ai-sdk.js")).startStreamText)],
  ["LangGraph custom", later(async () => (await import("./lang-graph.js")).startLangGraph)],
  ["resumable-stream", later(async () => (await import("./resumable.js")).startResumable)],
  ["resumable-stream resumed", later(async () => (await import("./resumable.js")).startResumed)],
]);

/** Whose streams are opened by a session and a message. */
export const isOurs = (name: string): boolean => name === MEMORY || name === JOURNAL || name === REDIS;
