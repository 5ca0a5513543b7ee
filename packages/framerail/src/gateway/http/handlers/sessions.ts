// Opening, looking at and ending sessions.

import { FramerailError } from "@framerail/protocol";
import { onBehalfOf } from "../../auth/caller.js";
import type { Gateway } from "../../gateway.js";
import { METADATA_LENGTH_MAX } from "../../limits.js";
import type { SessionRequest } from "../documents.js";
import type { Handler } from "../exchange.js";

export function openSession({ sessions, catalogue, localUser }: Gateway): Handler<SessionRequest> {
  return async ({ caller, body }) => {
    const userId = onBehalfOf(caller, body.user_id).userId ?? localUser;
    if (userId === undefined) throw new FramerailError("INVALID_ARGUMENT", "a service names the user_id it opens for");
    if (!catalogue.hasAgent(body.agent_id)) {
      throw new FramerailError("INVALID_ARGUMENT", "agent_id names no agent; GET /v1/agents lists them");
    }
    if (JSON.stringify(body.metadata ?? {}).length > METADATA_LENGTH_MAX) {
      throw new FramerailError("INVALID_ARGUMENT", `metadata must be at most ${METADATA_LENGTH_MAX} long as JSON`);
    }
    const session = await sessions.open(caller.tenantId, {
      agentId: body.agent_id,
      userId,
      ...(body.conversation_id !== undefined && { conversationId: body.conversation_id }),
      ...(body.locale !== undefined && { locale: body.locale }),
      ...(body.metadata !== undefined && { metadata: body.metadata }),
    });
    return { status: 201, headers: { location: `/v1/sessions/${session.session_id}` }, body: session };
  };
}

export function readSession({ sessions }: Gateway): Handler {
  return async ({ caller, params }) => ({ status: 200, body: await sessions.read(caller, params.id ?? "") });
}

export function endSession({ sessions }: Gateway): Handler {
  return async ({ caller, params }) => ({ status: 200, body: await sessions.terminate(caller, params.id ?? "") });
}
