// The messages of a conversation.

import type { Gateway } from "../../gateway.js";
import type { Handler } from "../exchange.js";
import { readCount } from "../exchange.js";

export function readMessages({ history }: Gateway): Handler {
  return async ({ caller, params, query }) => {
    const conversationId = params.id ?? "";
    const { messages, prev } = await history.page(caller.tenantId, {
      conversationId,
      userId: caller.userId,
      limit: readCount(query, "limit"),
      before: query.before,
      reasoning: query.reasoning === "true",
    });
    const older = new URLSearchParams({ ...query, before: prev ?? "" });
    const link = `</v1/conversations/${conversationId}/messages?${older}>; rel="prev"`;
    return { status: 200, ...(prev !== undefined && { headers: { link } }), body: messages };
  };
}
