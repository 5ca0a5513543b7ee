// The routes, as data: what is served is what /openapi.json says, because both are made from this table.
// Owns: paths, who may call, what goes in and out. Does not own: what a route does (handlers/), how it is served
// (server.ts), its description (openapi.ts).

import type { Schema } from "@framerail/protocol/schema";
import { array, object } from "@framerail/protocol/schema";
import type { Gateway } from "../gateway.js";
import { AGENT, BUDGET_REQUEST, MESSAGE, SESSION, SESSION_REQUEST, TICKET, TURN, TURN_REQUEST } from "./documents.js";
import type { Handler } from "./exchange.js";
import { listAgents, readRegistry } from "./handlers/catalogue.js";
import { readMessages } from "./handlers/history.js";
import { putBudget, readBudgets, readProvenance, readUsage } from "./handlers/ledger.js";
import { endSession, openSession, readSession } from "./handlers/sessions.js";
import { cancelTurn, issueTicket, readStream, readTurn, sendTurn } from "./handlers/turns.js";

export interface Route {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for a part that varies. */
  readonly path: string;
  readonly says: string;
  /** Instead of a credential, a ticket in the query will do. */
  readonly takesTicket?: true;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Schema;
  /** By status: a document, or a stream of frames. */
  readonly answers: Readonly<Record<number, Schema | "stream" | "nothing" | "json">>;
  handler(gateway: Gateway): Handler;
}

const VERSION = { "Framerail-Version": "0.5 (the default) or 0.4." };
const CURSOR = {
  query: { after: "A cursor: the id of the last frame that was seen, or its seq." },
  headers: { ...VERSION, "Last-Event-ID": "The same, as browsers send it." },
};

export const ROUTES: readonly Route[] = [
  {
    id: "openSession",
    method: "POST",
    path: "/v1/sessions",
    says: "Opens a session of a user with an agent.",
    body: SESSION_REQUEST,
    answers: { 201: SESSION },
    handler: (gateway) => openSession(gateway) as Handler,
  },
  {
    id: "readSession",
    method: "GET",
    path: "/v1/sessions/{id}",
    says: "A session as it is.",
    answers: { 200: SESSION },
    handler: readSession,
  },
  {
    id: "endSession",
    method: "DELETE",
    path: "/v1/sessions/{id}",
    says: "Ends a session for good; it takes no more messages.",
    answers: { 200: SESSION },
    handler: endSession,
  },
  {
    id: "sendTurn",
    method: "POST",
    path: "/v1/sessions/{id}/turns",
    says: "Sends a message and begins the turn that answers it: as a stream of frames, or as a receipt (202).",
    query: CURSOR.query,
    headers: {
      ...CURSOR.headers,
      "Idempotency-Key": "The same key with the same body is the same turn, for 24 hours.",
    },
    body: TURN_REQUEST,
    answers: { 200: "stream", 202: TURN, 204: "nothing" },
    handler: (gateway) => sendTurn(gateway) as Handler,
  },
  {
    id: "readTurn",
    method: "GET",
    path: "/v1/turns/{id}",
    says: "A turn as it is; once it has ended, with its answer.",
    answers: { 200: TURN },
    handler: readTurn,
  },
  {
    id: "readStream",
    method: "GET",
    path: "/v1/turns/{id}/stream",
    says: "The frames of a turn after a cursor, and those to come; 204 when the cursor is at its end.",
    takesTicket: true,
    query: { ...CURSOR.query, ticket: "Instead of a credential, for readers that can send no header." },
    headers: CURSOR.headers,
    answers: { 200: "stream", 204: "nothing" },
    handler: readStream,
  },
  {
    id: "cancelTurn",
    method: "POST",
    path: "/v1/turns/{id}/cancel",
    says: "Cancels a turn at once, and answers when it has ended; 202 when that takes longer than ten seconds.",
    answers: { 200: TURN, 202: TURN },
    handler: cancelTurn,
  },
  {
    id: "issueTicket",
    method: "POST",
    path: "/v1/turns/{id}/ticket",
    says: "A ticket with which a browser's EventSource can read the turn.",
    answers: { 201: TICKET },
    handler: issueTicket,
  },
  {
    id: "readMessages",
    method: "GET",
    path: "/v1/conversations/{id}/messages",
    says: "The newest messages of a conversation, oldest of them first; the Link header leads to older ones.",
    query: { limit: "How many.", before: "Where an earlier page ended.", reasoning: "true shows reasoning too." },
    answers: { 200: array(MESSAGE) },
    handler: readMessages,
  },
  {
    id: "readProvenance",
    method: "GET",
    path: "/v1/sessions/{id}/provenance/{action_id}",
    says: "The chain of an action, back to the message of the user that led to it.",
    answers: { 200: "json" },
    handler: readProvenance,
  },
  {
    id: "readUsage",
    method: "GET",
    path: "/v1/usage",
    says: "What model calls have used, in a span of time.",
    query: { from: "A time.", to: "A time.", agent_id: "Of one agent.", group_by: "Any of agent, model, day." },
    answers: { 200: "json" },
    handler: readUsage,
  },
  {
    id: "readBudgets",
    method: "GET",
    path: "/v1/budgets",
    says: "The tenant's budgets and what their periods have used.",
    answers: { 200: "json" },
    handler: readBudgets,
  },
  {
    id: "putBudget",
    method: "PUT",
    path: "/v1/budgets",
    says: "Sets the budget of the tenant, or of one of its agents.",
    body: BUDGET_REQUEST,
    answers: { 200: "json" },
    handler: (gateway) => putBudget(gateway) as Handler,
  },
  {
    id: "readRegistry",
    method: "GET",
    path: "/v1/registry",
    says: "The status vocabulary.",
    answers: { 200: "json" },
    handler: readRegistry,
  },
  {
    id: "listAgents",
    method: "GET",
    path: "/v1/agents",
    says: "The agents that answer here.",
    answers: { 200: object({ agents: array(AGENT) }) },
    handler: listAgents,
  },
];
