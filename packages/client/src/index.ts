// The package's front door: a client, and the types of what it hands out. React's hooks are behind the second door,
// `@framerail/client/react`.

export { itemDurationsMs, runningTools } from "@framerail/protocol";
export type { Fetch } from "./api.js";
export type { Client, ClientOptions, HistoryOptions, HistoryPage } from "./client.js";
export { createClient } from "./client.js";
export type { ConnectionState } from "./connection-state.js";
export type { AgentDocument, HistoryMessage, SessionDocument, TurnEnd } from "./documents.js";
export type { Page, PageSight } from "./page.js";
export type { Transport } from "./read-stream.js";
export { ResponseError } from "./response-error.js";
export type { KnownSession, NewSession, SendOptions, Session } from "./session.js";
export type { AskToken } from "./token.js";
export type { Placeholder, Progress, TranscriptView } from "./transcript.js";
export type { Turn, TurnState } from "./turn.js";
export type { ClientReport } from "./turn-connection.js";
