// Sending a message, looking at its turn, reading and cancelling it.

import { createHash } from "node:crypto";
import { FramerailError } from "@framerail/protocol";
import { cancelTurn as cancel } from "../../../dispatch/cancel-turn.js";
import type { SendRequest } from "../../../dispatch/send-message.js";
import type { TurnRow } from "../../../session/turns.js";
import type { Caller } from "../../auth/caller.js";
import type { Gateway } from "../../gateway.js";
import { GRACE_MS, GRACE_MS_MAX, IDEMPOTENCY_KEY_LENGTH_MAX, TURN_MS_MAX } from "../../limits.js";
import type { TurnRequest } from "../documents.js";
import type { Exchange, Handler } from "../exchange.js";
import { readHeader } from "../exchange.js";
import { ANSWERS, chooseForm, chooseVersion, STREAMS } from "../negotiate.js";
import { cursorOf, streamTurn } from "./streams.js";

export function sendTurn(gateway: Gateway): Handler<TurnRequest> {
  return async (exchange) => {
    const { caller, headers } = exchange;
    const form = chooseForm(headers, ANSWERS);
    const version = chooseVersion(headers);
    const request = sendRequestOf(exchange, form);
    if (form !== "json") {
      const choice = { transport: form, version };
      return withinStreamLimit(gateway, caller, async (leaveLimit) => {
        const { kind, turnId } = await gateway.dispatcher.send(request);
        // Only a request that was sent before can have seen something of its turn.
        const cursor = kind === "attached" ? cursorOf(exchange) : undefined;
        return streamTurn(gateway, exchange, { turnId, caller, choice, cursor, leaveLimit });
      });
    }
    const { turnId } = await gateway.dispatcher.send(request);
    const body = await describe(gateway, caller, await find(gateway, caller, turnId));
    return { status: 202, headers: { location: `/v1/turns/${turnId}`, "framerail-turn-id": turnId }, body };
  };
}

export function readTurn(gateway: Gateway): Handler {
  return async ({ caller, params }) => {
    const turn = await find(gateway, caller, params.id ?? "");
    return { status: 200, body: await describe(gateway, caller, turn) };
  };
}

export function readStream(gateway: Gateway): Handler {
  return async (exchange) => {
    const { params, headers } = exchange;
    const choice = { transport: chooseForm(headers, STREAMS), version: chooseVersion(headers) };
    const { turn_id: turnId } = await find(gateway, exchange.caller, params.id ?? "");
    const { caller } = exchange;
    return withinStreamLimit(gateway, caller, (leaveLimit) =>
      streamTurn(gateway, exchange, { turnId, caller, choice, cursor: cursorOf(exchange), leaveLimit }),
    );
  };
}

/** A tenant with too many streams is told so before a turn is begun for one more. */
async function withinStreamLimit<T>(
  { streamLimit }: Gateway,
  { tenantId }: Caller,
  open: (leaveLimit: () => void) => Promise<T>,
): Promise<T> {
  const leaveLimit = streamLimit.enter(tenantId);
  try {
    return await open(leaveLimit);
  } catch (error) {
    leaveLimit();
    throw error;
  }
}

export function cancelTurn(gateway: Gateway): Handler {
  return async ({ caller, params }) => {
    const turn = await find(gateway, caller, params.id ?? "");
    const { turn_id: turnId, owner } = turn;
    const hasEnded = async () => (await find(gateway, caller, turnId)).status === "ended";
    const ended = await cancel(gateway, { turnId, owner, hasEnded });
    const body = await describe(gateway, caller, await find(gateway, caller, turnId));
    return { status: ended ? 200 : 202, body };
  };
}

export function issueTicket(gateway: Gateway): Handler {
  return async ({ caller, params }) => {
    const { turn_id: turnId } = await find(gateway, caller, params.id ?? "");
    const ticket = await gateway.tickets.issue(turnId, caller);
    return { status: 201, body: { ticket, url: `/v1/turns/${turnId}/stream?ticket=${ticket}` } };
  };
}

async function find({ turns }: Gateway, caller: Caller, turnId: string): Promise<TurnRow> {
  const turn = await turns.find(caller, turnId);
  if (turn === undefined) throw new FramerailError("NOT_FOUND", "no such turn");
  return turn;
}

async function describe({ turns, log }: Gateway, { tenantId }: Caller, turn: TurnRow) {
  if (turn.status === "ended") return turns.describe(tenantId, turn);
  const view = await log.attach(turn.turn_id);
  try {
    return await turns.describe(tenantId, turn, view);
  } finally {
    if (view !== undefined) log.detach(turn.turn_id, view);
  }
}

function sendRequestOf(exchange: Exchange<TurnRequest>, form: "sse" | "ndjson" | "json"): SendRequest {
  const { caller, params, headers, body } = exchange;
  const key = readHeader(headers, "idempotency-key");
  return {
    orgId: caller.tenantId,
    sessionId: params.id ?? "",
    userId: caller.userId,
    message: body.message,
    locale: headers["accept-language"] ?? null,
    onDisconnect: disconnectOf(body, form),
    ...(body.episode_id !== undefined && { episodeId: body.episode_id }),
    ...(body.limits?.time_ms !== undefined && { timeMs: Math.min(body.limits.time_ms, TURN_MS_MAX) }),
    ...(key !== undefined && {
      idempotency: { principal: caller.subject, key: requireKey(key), bodySha256: hashOf(body) },
    }),
  };
}

/** A caller who stays to read cares about a broken connection; one who asked for a receipt does not [D-9]. */
function disconnectOf({ on_disconnect: asked }: TurnRequest, form: "sse" | "ndjson" | "json") {
  const action = asked?.action ?? (form === "json" ? "continue" : "cancel");
  const graceMs = asked?.grace_ms ?? GRACE_MS;
  if (graceMs > GRACE_MS_MAX) {
    throw new FramerailError("INVALID_ARGUMENT", `on_disconnect.grace_ms must be at most ${GRACE_MS_MAX}`);
  }
  return { action, grace_ms: graceMs };
}

function requireKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX) return key;
  const says = `idempotency-key must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters`;
  throw new FramerailError("INVALID_ARGUMENT", says);
}

/** What makes two requests the same: what they ask for, however it was spelled. */
function hashOf({ message, on_disconnect: asked, limits, episode_id }: TurnRequest): string {
  const parts = [message, asked?.action, asked?.grace_ms, limits?.time_ms, episode_id];
  return createHash("sha256")
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest("hex");
}
